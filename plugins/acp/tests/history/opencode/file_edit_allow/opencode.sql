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
INSERT INTO project VALUES ('5304b9093559f518b5f33fbd8353ff15e9c936f1', '/workspace/project', 'git', NULL, NULL, NULL, NULL, 1796121739949, 1796121741003, NULL, '[]', NULL);
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
INSERT INTO session VALUES ('ses_dcecd3430ffeYFzOM9qCl2ys7Z', '5304b9093559f518b5f33fbd8353ff15e9c936f1', NULL, NULL, 'cosmic-rocket', '/workspace/project', '', 'Mock title', '1.18.33', NULL, 0, 0, 0, NULL, NULL, 0.0, 300, 60, 0, 0, 0, NULL, NULL, 'build', '{"id":"mock-model","providerID":"mock","variant":"low"}', 1796121742287, 1796121744576, NULL, NULL);
CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO message VALUES ('msg_23132cbf4001VTRIc5X40Xp5Cl', 'ses_dcecd3430ffeYFzOM9qCl2ys7Z', 1796121742324, 1796121744677, '{"role":"user","time":{"created":1796121742324},"agent":"build","model":{"providerID":"mock","modelID":"mock-model","variant":"low"},"summary":{"diffs":[{"file":"README.md","patch":"Index: README.md\n===================================================================\n--- README.md\t\n+++ README.md\t\n@@ -1,3 +1,3 @@\n # demo\n \n-hello world\n+hello there\n","additions":1,"deletions":1,"status":"modified"}]}}');
INSERT INTO message VALUES ('msg_23132cc33001NOtrVyYACwaZZ7', 'ses_dcecd3430ffeYFzOM9qCl2ys7Z', 1796121742387, 1796121743954, '{"parentID":"msg_23132cbf4001VTRIc5X40Xp5Cl","role":"assistant","mode":"build","agent":"build","variant":"low","path":{"cwd":"/workspace/project","root":"/workspace/project"},"cost":0,"tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"mock-model","providerID":"mock","time":{"created":1796121742387,"completed":1796121743952},"finish":"tool-calls"}');
INSERT INTO message VALUES ('msg_23132d255001ksm45TMuuFtipz', 'ses_dcecd3430ffeYFzOM9qCl2ys7Z', 1796121743957, 1796121744306, '{"parentID":"msg_23132cbf4001VTRIc5X40Xp5Cl","role":"assistant","mode":"build","agent":"build","variant":"low","path":{"cwd":"/workspace/project","root":"/workspace/project"},"cost":0,"tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"mock-model","providerID":"mock","time":{"created":1796121743957,"completed":1796121744305},"finish":"tool-calls"}');
INSERT INTO message VALUES ('msg_23132d3b50014Bf2uahr5J4xnU', 'ses_dcecd3430ffeYFzOM9qCl2ys7Z', 1796121744309, 1796121744569, '{"parentID":"msg_23132cbf4001VTRIc5X40Xp5Cl","role":"assistant","mode":"build","agent":"build","variant":"low","path":{"cwd":"/workspace/project","root":"/workspace/project"},"cost":0,"tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"mock-model","providerID":"mock","time":{"created":1796121744309,"completed":1796121744568},"finish":"stop"}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO part VALUES ('prt_23132cbf7001iuUCCcCmEmsz8n', 'msg_23132cbf4001VTRIc5X40Xp5Cl', 'ses_dcecd3430ffeYFzOM9qCl2ys7Z', 1796121742334, 1796121742336, '{"type":"text","text":"Go <<script:edit>>"}');
INSERT INTO part VALUES ('prt_23132d176001FK6AbcPBNlKIS2', 'msg_23132cc33001NOtrVyYACwaZZ7', 'ses_dcecd3430ffeYFzOM9qCl2ys7Z', 1796121743734, 1796121743736, '{"snapshot":"48763b374917d881d562a266da8dcc2e3471c733","type":"step-start"}');
INSERT INTO part VALUES ('prt_23132d17f001ghOBBjOyMpadCm', 'msg_23132cc33001NOtrVyYACwaZZ7', 'ses_dcecd3430ffeYFzOM9qCl2ys7Z', 1796121743744, 1796121743823, '{"type":"tool","tool":"read","callID":"call_mock_0004_0","state":{"status":"completed","input":{"filePath":"/workspace/project/README.md"},"output":"<path>/workspace/project/README.md</path>\n<type>file</type>\n<content>\n1: # demo\n2: \n3: hello world\n\n(End of file - total 3 lines)\n</content>","metadata":{"preview":"# demo\n\nhello world","truncated":false,"loaded":[],"display":{"type":"file","path":"/workspace/project/README.md","text":"# demo\n\nhello world","lineStart":1,"lineEnd":3,"totalLines":3,"truncated":false}},"title":"README.md","time":{"start":1796121743773,"end":1796121743822}}}');
INSERT INTO part VALUES ('prt_23132d21f001z9ip1zxKYCZ2fY', 'msg_23132cc33001NOtrVyYACwaZZ7', 'ses_dcecd3430ffeYFzOM9qCl2ys7Z', 1796121743904, 1796121743905, '{"reason":"tool-calls","snapshot":"48763b374917d881d562a266da8dcc2e3471c733","type":"step-finish","tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO part VALUES ('prt_23132d2c1001AgVp4koBR6W8WH', 'msg_23132d255001ksm45TMuuFtipz', 'ses_dcecd3430ffeYFzOM9qCl2ys7Z', 1796121744065, 1796121744071, '{"snapshot":"48763b374917d881d562a266da8dcc2e3471c733","type":"step-start"}');
INSERT INTO part VALUES ('prt_23132d2c9001qFyYehjS2In0XO', 'msg_23132d255001ksm45TMuuFtipz', 'ses_dcecd3430ffeYFzOM9qCl2ys7Z', 1796121744073, 1796121744148, '{"type":"tool","tool":"edit","callID":"call_mock_0005_0","state":{"status":"completed","input":{"filePath":"/workspace/project/README.md","oldString":"hello world","newString":"hello there"},"output":"Edit applied successfully.","metadata":{"diagnostics":{},"diff":"Index: /workspace/project/README.md\n===================================================================\n--- /workspace/project/README.md\n+++ /workspace/project/README.md\n@@ -1,3 +1,3 @@\n # demo\n \n-hello world\n+hello there\n","filediff":{"file":"/workspace/project/README.md","patch":"Index: /workspace/project/README.md\n===================================================================\n--- /workspace/project/README.md\n+++ /workspace/project/README.md\n@@ -1,3 +1,3 @@\n # demo\n \n-hello world\n+hello there\n","additions":1,"deletions":1},"truncated":false},"title":"README.md","time":{"start":1796121744106,"end":1796121744146}}}');
INSERT INTO part VALUES ('prt_23132d374001QIxLD2syeOMqW1', 'msg_23132d255001ksm45TMuuFtipz', 'ses_dcecd3430ffeYFzOM9qCl2ys7Z', 1796121744244, 1796121744245, '{"reason":"tool-calls","snapshot":"54da15fc3944244985d4131ce105121e22f08676","type":"step-finish","tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO part VALUES ('prt_23132d3ae0017NeYacLIqQq87j', 'msg_23132d255001ksm45TMuuFtipz', 'ses_dcecd3430ffeYFzOM9qCl2ys7Z', 1796121744302, 1796121744303, '{"type":"patch","hash":"48763b374917d881d562a266da8dcc2e3471c733","files":["/workspace/project/README.md"]}');
INSERT INTO part VALUES ('prt_23132d3f9001wwLstMdRe2Ohbv', 'msg_23132d3b50014Bf2uahr5J4xnU', 'ses_dcecd3430ffeYFzOM9qCl2ys7Z', 1796121744377, 1796121744383, '{"snapshot":"54da15fc3944244985d4131ce105121e22f08676","type":"step-start"}');
INSERT INTO part VALUES ('prt_23132d401001wydsTmFGw5dg76', 'msg_23132d3b50014Bf2uahr5J4xnU', 'ses_dcecd3430ffeYFzOM9qCl2ys7Z', 1796121744385, 1796121744393, '{"type":"text","text":"Edited README.","time":{"start":1796121744385,"end":1796121744392}}');
INSERT INTO part VALUES ('prt_23132d485001qeDLgsPT2VcEaV', 'msg_23132d3b50014Bf2uahr5J4xnU', 'ses_dcecd3430ffeYFzOM9qCl2ys7Z', 1796121744517, 1796121744519, '{"reason":"stop","snapshot":"54da15fc3944244985d4131ce105121e22f08676","type":"step-finish","tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
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
