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
INSERT INTO project VALUES ('9deae822fcc7d80fd711aeef42f894168066cd59', '/workspace/project', 'git', NULL, NULL, NULL, NULL, 1796121732587, 1796121733973, NULL, '[]', NULL);
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
INSERT INTO session VALUES ('ses_dcecd4f3fffeAA3wmU3gkQUZUo', '9deae822fcc7d80fd711aeef42f894168066cd59', NULL, NULL, 'quiet-star', '/workspace/project', '', 'Mock title', '1.18.33', NULL, 0, 0, 0, NULL, NULL, 0.0, 100, 20, 0, 0, 0, NULL, NULL, 'build', '{"id":"mock-model","providerID":"mock","variant":"low"}', 1796121735361, 1796121737236, NULL, NULL);
CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO message VALUES ('msg_23132b0f1001tPUIrayi1dBmk4', 'ses_dcecd4f3fffeAA3wmU3gkQUZUo', 1796121735409, 1796121737320, '{"role":"user","time":{"created":1796121735409},"agent":"build","model":{"providerID":"mock","modelID":"mock-model","variant":"low"},"summary":{"diffs":[]}}');
INSERT INTO message VALUES ('msg_23132b124001SlnKRRcqpGKaOi', 'ses_dcecd4f3fffeAA3wmU3gkQUZUo', 1796121735460, 1796121737227, '{"parentID":"msg_23132b0f1001tPUIrayi1dBmk4","role":"assistant","mode":"build","agent":"build","variant":"low","path":{"cwd":"/workspace/project","root":"/workspace/project"},"cost":0,"tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"mock-model","providerID":"mock","time":{"created":1796121735460,"completed":1796121737226},"finish":"tool-calls"}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO part VALUES ('prt_23132b0f8001rz7rXyZhT3ofGB', 'msg_23132b0f1001tPUIrayi1dBmk4', 'ses_dcecd4f3fffeAA3wmU3gkQUZUo', 1796121735423, 1796121735425, '{"type":"text","text":"Go <<script:bash>>"}');
INSERT INTO part VALUES ('prt_23132b69b001bBztzVtQi8SORh', 'msg_23132b124001SlnKRRcqpGKaOi', 'ses_dcecd4f3fffeAA3wmU3gkQUZUo', 1796121736859, 1796121736861, '{"snapshot":"48763b374917d881d562a266da8dcc2e3471c733","type":"step-start"}');
INSERT INTO part VALUES ('prt_23132b69e001g22FMQNyhspOkp', 'msg_23132b124001SlnKRRcqpGKaOi', 'ses_dcecd4f3fffeAA3wmU3gkQUZUo', 1796121736862, 1796121736947, '{"type":"text","text":"Running a command.","time":{"start":1796121736862,"end":1796121736941}}');
INSERT INTO part VALUES ('prt_23132b6b0001Qwfr8MFKGIXsFm', 'msg_23132b124001SlnKRRcqpGKaOi', 'ses_dcecd4f3fffeAA3wmU3gkQUZUo', 1796121736881, 1796121737085, '{"type":"tool","tool":"bash","callID":"call_mock_0002_1","state":{"status":"error","input":{"command":"touch made-by-shell.txt && echo hi-from-shell","description":"run"},"error":"The user rejected permission to use this specific tool call.","time":{"start":1796121736929,"end":1796121737084}}}');
INSERT INTO part VALUES ('prt_23132b7d1001GhzKpDztDLh359', 'msg_23132b124001SlnKRRcqpGKaOi', 'ses_dcecd4f3fffeAA3wmU3gkQUZUo', 1796121737169, 1796121737171, '{"reason":"tool-calls","snapshot":"48763b374917d881d562a266da8dcc2e3471c733","type":"step-finish","tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
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
