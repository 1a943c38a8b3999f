CREATE TABLE `project` (
          `id` text PRIMARY KEY,
          `worktree` text NOT NULL,
          `vcs` text,
          `name` text,
          `icon_url` text,
          `icon_url_override` text,
          `icon_color` text,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `time_initialized` integer,
          `sandboxes` text NOT NULL,
          `commands` text
        );
INSERT INTO project VALUES ('943c3ae525661aaff8307b6c6f53e8dfdb8c0e61', '/workspace/project', 'git', NULL, NULL, NULL, NULL, 1796121778000, 1796121779079, NULL, '[]', NULL);
CREATE TABLE `session` (
          `id` text PRIMARY KEY,
          `project_id` text NOT NULL,
          `workspace_id` text,
          `parent_id` text,
          `slug` text NOT NULL,
          `directory` text NOT NULL,
          `path` text,
          `title` text NOT NULL,
          `version` text NOT NULL,
          `share_url` text,
          `summary_additions` integer,
          `summary_deletions` integer,
          `summary_files` integer,
          `summary_diffs` text,
          `metadata` text,
          `cost` real DEFAULT 0 NOT NULL,
          `tokens_input` integer DEFAULT 0 NOT NULL,
          `tokens_output` integer DEFAULT 0 NOT NULL,
          `tokens_reasoning` integer DEFAULT 0 NOT NULL,
          `tokens_cache_read` integer DEFAULT 0 NOT NULL,
          `tokens_cache_write` integer DEFAULT 0 NOT NULL,
          `revert` text,
          `permission` text,
          `agent` text,
          `model` text,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `time_compacting` integer,
          `time_archived` integer,
          CONSTRAINT `fk_session_project_id_project_id_fk` FOREIGN KEY (`project_id`) REFERENCES `project`(`id`) ON DELETE CASCADE
        );
INSERT INTO session VALUES ('ses_dcecc9f8affeRTMClB2tmPs2LN', '943c3ae525661aaff8307b6c6f53e8dfdb8c0e61', NULL, NULL, 'shiny-circuit', '/workspace/project', '', 'Mock title', '1.18.33', NULL, 0, 0, 0, NULL, NULL, 0.0, 200, 40, 0, 0, 0, NULL, NULL, 'build', '{"id":"mock-model","providerID":"mock","variant":"low"}', 1796121780341, 1796121782693, NULL, NULL);
CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO message VALUES ('msg_2313360c3001kuBlGis4UlEBqt', 'ses_dcecc9f8affeRTMClB2tmPs2LN', 1796121780419, 1796121782764, '{"role":"user","time":{"created":1796121780419},"agent":"build","model":{"providerID":"mock","modelID":"mock-model","variant":"low"},"summary":{"diffs":[{"file":"a.txt","patch":"Index: a.txt\n===================================================================\n--- a.txt\t\n+++ a.txt\t\n","additions":0,"deletions":0,"status":"added"},{"file":"b.txt","patch":"Index: b.txt\n===================================================================\n--- b.txt\t\n+++ b.txt\t\n","additions":0,"deletions":0,"status":"added"}]}}');
INSERT INTO message VALUES ('msg_2313360ec001PL0H2FzFGHPp1k', 'ses_dcecc9f8affeRTMClB2tmPs2LN', 1796121780461, 1796121782432, '{"parentID":"msg_2313360c3001kuBlGis4UlEBqt","role":"assistant","mode":"build","agent":"build","variant":"low","path":{"cwd":"/workspace/project","root":"/workspace/project"},"cost":0,"tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"mock-model","providerID":"mock","time":{"created":1796121780461,"completed":1796121782431},"finish":"tool-calls"}');
INSERT INTO message VALUES ('msg_2313368a2001ge7aC0bUpCtFOQ', 'ses_dcecc9f8affeRTMClB2tmPs2LN', 1796121782435, 1796121782683, '{"parentID":"msg_2313360c3001kuBlGis4UlEBqt","role":"assistant","mode":"build","agent":"build","variant":"low","path":{"cwd":"/workspace/project","root":"/workspace/project"},"cost":0,"tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"mock-model","providerID":"mock","time":{"created":1796121782435,"completed":1796121782682},"finish":"stop"}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO part VALUES ('prt_2313360c6001ZnzoIB6UHXHB63', 'msg_2313360c3001kuBlGis4UlEBqt', 'ses_dcecc9f8affeRTMClB2tmPs2LN', 1796121780428, 1796121780430, '{"type":"text","text":"Go <<script:parallel>>"}');
INSERT INTO part VALUES ('prt_23133665c001qnQm3yK5sgqNvf', 'msg_2313360ec001PL0H2FzFGHPp1k', 'ses_dcecc9f8affeRTMClB2tmPs2LN', 1796121781853, 1796121781854, '{"snapshot":"48763b374917d881d562a266da8dcc2e3471c733","type":"step-start"}');
INSERT INTO part VALUES ('prt_231336660001e5Iei4LNj4j3EG', 'msg_2313360ec001PL0H2FzFGHPp1k', 'ses_dcecc9f8affeRTMClB2tmPs2LN', 1796121781856, 1796121781974, '{"type":"text","text":"Three at once.","time":{"start":1796121781856,"end":1796121781972}}');
INSERT INTO part VALUES ('prt_23133667800186weum8G8jPTCk', 'msg_2313360ec001PL0H2FzFGHPp1k', 'ses_dcecc9f8affeRTMClB2tmPs2LN', 1796121781880, 1796121782170, '{"type":"tool","tool":"bash","callID":"call_mock_0017_1","state":{"status":"completed","input":{"command":"touch a.txt; echo A","description":"run"},"output":"A\n","metadata":{"output":"A\n","exit":0,"truncated":false},"title":"touch a.txt; echo A","time":{"start":1796121781901,"end":1796121782168}}}');
INSERT INTO part VALUES ('prt_23133669a001Fx1x4xFZYuZThQ', 'msg_2313360ec001PL0H2FzFGHPp1k', 'ses_dcecc9f8affeRTMClB2tmPs2LN', 1796121781914, 1796121782196, '{"type":"tool","tool":"bash","callID":"call_mock_0017_2","state":{"status":"completed","input":{"command":"touch b.txt; echo B","description":"run"},"output":"B\n","metadata":{"output":"B\n","exit":0,"truncated":false},"title":"touch b.txt; echo B","time":{"start":1796121781922,"end":1796121782195}}}');
INSERT INTO part VALUES ('prt_2313366ac0014kedeOTNnrtyx6', 'msg_2313360ec001PL0H2FzFGHPp1k', 'ses_dcecc9f8affeRTMClB2tmPs2LN', 1796121781932, 1796121782221, '{"type":"tool","tool":"read","callID":"call_mock_0017_3","state":{"status":"completed","input":{"filePath":"/workspace/project/README.md"},"output":"<path>/workspace/project/README.md</path>\n<type>file</type>\n<content>\n1: # demo\n2: \n3: hello world\n\n(End of file - total 3 lines)\n</content>","metadata":{"preview":"# demo\n\nhello world","truncated":false,"loaded":[],"display":{"type":"file","path":"/workspace/project/README.md","text":"# demo\n\nhello world","lineStart":1,"lineEnd":3,"totalLines":3,"truncated":false}},"title":"README.md","time":{"start":1796121781952,"end":1796121782219}}}');
INSERT INTO part VALUES ('prt_2313368650019OlpOHIPJKM4PC', 'msg_2313360ec001PL0H2FzFGHPp1k', 'ses_dcecc9f8affeRTMClB2tmPs2LN', 1796121782373, 1796121782375, '{"reason":"tool-calls","snapshot":"5e0e9ac2405031b50926f5ffb7977b54831a2f57","type":"step-finish","tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO part VALUES ('prt_23133689b0010boc2lbgxhKufS', 'msg_2313360ec001PL0H2FzFGHPp1k', 'ses_dcecc9f8affeRTMClB2tmPs2LN', 1796121782427, 1796121782428, '{"type":"patch","hash":"48763b374917d881d562a266da8dcc2e3471c733","files":["/workspace/project/a.txt","/workspace/project/b.txt"]}');
INSERT INTO part VALUES ('prt_2313368f5001OZuVRoyngcTF7y', 'msg_2313368a2001ge7aC0bUpCtFOQ', 'ses_dcecc9f8affeRTMClB2tmPs2LN', 1796121782517, 1796121782518, '{"snapshot":"5e0e9ac2405031b50926f5ffb7977b54831a2f57","type":"step-start"}');
INSERT INTO part VALUES ('prt_2313368fa0015Sm710uebxpJm9', 'msg_2313368a2001ge7aC0bUpCtFOQ', 'ses_dcecc9f8affeRTMClB2tmPs2LN', 1796121782522, 1796121782527, '{"type":"text","text":"All three done.","time":{"start":1796121782522,"end":1796121782526}}');
INSERT INTO part VALUES ('prt_23133696e001Z6ipVgbyNherGC', 'msg_2313368a2001ge7aC0bUpCtFOQ', 'ses_dcecc9f8affeRTMClB2tmPs2LN', 1796121782639, 1796121782640, '{"reason":"stop","snapshot":"5e0e9ac2405031b50926f5ffb7977b54831a2f57","type":"step-finish","tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
CREATE TABLE `todo` (
          `session_id` text NOT NULL,
          `content` text NOT NULL,
          `status` text NOT NULL,
          `priority` text NOT NULL,
          `position` integer NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          CONSTRAINT `todo_pk` PRIMARY KEY(`session_id`, `position`),
          CONSTRAINT `fk_todo_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
