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
INSERT INTO project VALUES ('a9ae3d34dc27693562d8542e72bdd3dcd232af71', '/workspace/project', 'git', NULL, NULL, NULL, NULL, 1796121793769, 1796121796145, NULL, '[]', NULL);
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
INSERT INTO session VALUES ('ses_dcecc59a2ffeMNJ46FlsxIszZ4', 'a9ae3d34dc27693562d8542e72bdd3dcd232af71', NULL, NULL, 'swift-wolf', '/workspace/project', '', 'Mock title', '1.18.33', NULL, 0, 0, 0, NULL, NULL, 0.0, 300, 60, 0, 0, 0, NULL, NULL, 'build', '{"id":"mock-model","providerID":"mock","variant":"low"}', 1796121798237, 1796121802727, NULL, NULL);
CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO message VALUES ('msg_23133a6c300189HCoCXhKFkehG', 'ses_dcecc59a2ffeMNJ46FlsxIszZ4', 1796121798339, 1796121802877, '{"role":"user","time":{"created":1796121798339},"agent":"build","model":{"providerID":"mock","modelID":"mock-model","variant":"low"},"summary":{"diffs":[]}}');
INSERT INTO message VALUES ('msg_23133a73f001ZYaBCwDekbxwTa', 'ses_dcecc59a2ffeMNJ46FlsxIszZ4', 1796121798463, 1796121801392, '{"parentID":"msg_23133a6c300189HCoCXhKFkehG","role":"assistant","mode":"build","agent":"build","variant":"low","path":{"cwd":"/workspace/project","root":"/workspace/project"},"cost":0,"tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"mock-model","providerID":"mock","time":{"created":1796121798463,"completed":1796121801377},"finish":"tool-calls"}');
INSERT INTO message VALUES ('msg_23133b2b80019Z5Sqm31hfEvgF', 'ses_dcecc59a2ffeMNJ46FlsxIszZ4', 1796121801400, 1796121802342, '{"parentID":"msg_23133a6c300189HCoCXhKFkehG","role":"assistant","mode":"build","agent":"build","variant":"low","path":{"cwd":"/workspace/project","root":"/workspace/project"},"cost":0,"tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"mock-model","providerID":"mock","time":{"created":1796121801400,"completed":1796121802341},"finish":"tool-calls"}');
INSERT INTO message VALUES ('msg_23133b66e001PUSEsCEfJuSZ1A', 'ses_dcecc59a2ffeMNJ46FlsxIszZ4', 1796121802350, 1796121802709, '{"parentID":"msg_23133a6c300189HCoCXhKFkehG","role":"assistant","mode":"build","agent":"build","variant":"low","path":{"cwd":"/workspace/project","root":"/workspace/project"},"cost":0,"tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"mock-model","providerID":"mock","time":{"created":1796121802350,"completed":1796121802708},"finish":"stop"}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO part VALUES ('prt_23133a6d3001ynoG7c59ksRhul', 'msg_23133a6c300189HCoCXhKFkehG', 'ses_dcecc59a2ffeMNJ46FlsxIszZ4', 1796121798383, 1796121798386, '{"type":"text","text":"Go <<script:plan>>"}');
INSERT INTO part VALUES ('prt_23133b0ba001jAyyT5TpiiucVQ', 'msg_23133a73f001ZYaBCwDekbxwTa', 'ses_dcecc59a2ffeMNJ46FlsxIszZ4', 1796121800890, 1796121800904, '{"snapshot":"48763b374917d881d562a266da8dcc2e3471c733","type":"step-start"}');
INSERT INTO part VALUES ('prt_23133b0d90019sy6Tl9XfCkc5A', 'msg_23133a73f001ZYaBCwDekbxwTa', 'ses_dcecc59a2ffeMNJ46FlsxIszZ4', 1796121800923, 1796121801075, '{"type":"tool","tool":"todowrite","callID":"call_mock_0022_0","state":{"status":"completed","input":{"todos":[{"id":"0","content":"Look at code","status":"in_progress","priority":"high"},{"id":"1","content":"Fix bug","status":"pending","priority":"high"}]},"output":"[\n  {\n    \"content\": \"Look at code\",\n    \"status\": \"in_progress\",\n    \"priority\": \"high\"\n  },\n  {\n    \"content\": \"Fix bug\",\n    \"status\": \"pending\",\n    \"priority\": \"high\"\n  }\n]","metadata":{"todos":[{"content":"Look at code","status":"in_progress","priority":"high"},{"content":"Fix bug","status":"pending","priority":"high"}],"truncated":false},"title":"2 todos","time":{"start":1796121801046,"end":1796121801073}}}');
INSERT INTO part VALUES ('prt_23133b1f60018DtCy6zs4ceqK8', 'msg_23133a73f001ZYaBCwDekbxwTa', 'ses_dcecc59a2ffeMNJ46FlsxIszZ4', 1796121801206, 1796121801208, '{"reason":"tool-calls","snapshot":"48763b374917d881d562a266da8dcc2e3471c733","type":"step-finish","tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO part VALUES ('prt_23133b3c40015DmHFX0dfTOZeh', 'msg_23133b2b80019Z5Sqm31hfEvgF', 'ses_dcecc59a2ffeMNJ46FlsxIszZ4', 1796121801668, 1796121801669, '{"snapshot":"48763b374917d881d562a266da8dcc2e3471c733","type":"step-start"}');
INSERT INTO part VALUES ('prt_23133b3c7001JTZlfnlLo69aNm', 'msg_23133b2b80019Z5Sqm31hfEvgF', 'ses_dcecc59a2ffeMNJ46FlsxIszZ4', 1796121801671, 1796121801830, '{"type":"tool","tool":"todowrite","callID":"call_mock_0023_0","state":{"status":"completed","input":{"todos":[{"id":"0","content":"Look at code","status":"completed","priority":"high"},{"id":"1","content":"Fix bug","status":"in_progress","priority":"high"}]},"output":"[\n  {\n    \"content\": \"Look at code\",\n    \"status\": \"completed\",\n    \"priority\": \"high\"\n  },\n  {\n    \"content\": \"Fix bug\",\n    \"status\": \"in_progress\",\n    \"priority\": \"high\"\n  }\n]","metadata":{"todos":[{"content":"Look at code","status":"completed","priority":"high"},{"content":"Fix bug","status":"in_progress","priority":"high"}],"truncated":false},"title":"1 todos","time":{"start":1796121801814,"end":1796121801829}}}');
INSERT INTO part VALUES ('prt_23133b57e001EPqfZr5KvlbyyC', 'msg_23133b2b80019Z5Sqm31hfEvgF', 'ses_dcecc59a2ffeMNJ46FlsxIszZ4', 1796121802110, 1796121802116, '{"reason":"tool-calls","snapshot":"48763b374917d881d562a266da8dcc2e3471c733","type":"step-finish","tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO part VALUES ('prt_23133b715001YEtyb5w7ydJm2R', 'msg_23133b66e001PUSEsCEfJuSZ1A', 'ses_dcecc59a2ffeMNJ46FlsxIszZ4', 1796121802517, 1796121802531, '{"snapshot":"48763b374917d881d562a266da8dcc2e3471c733","type":"step-start"}');
INSERT INTO part VALUES ('prt_23133b725001peTfCA4fKgar1k', 'msg_23133b66e001PUSEsCEfJuSZ1A', 'ses_dcecc59a2ffeMNJ46FlsxIszZ4', 1796121802533, 1796121802550, '{"type":"text","text":"Plan updated.","time":{"start":1796121802533,"end":1796121802542}}');
INSERT INTO part VALUES ('prt_23133b7b4001Yho9cCSlmpCfV5', 'msg_23133b66e001PUSEsCEfJuSZ1A', 'ses_dcecc59a2ffeMNJ46FlsxIszZ4', 1796121802677, 1796121802678, '{"reason":"stop","snapshot":"48763b374917d881d562a266da8dcc2e3471c733","type":"step-finish","tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
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
INSERT INTO todo VALUES ('ses_dcecc59a2ffeMNJ46FlsxIszZ4', 'Look at code', 'completed', 'high', 0, 1796121801810, 1796121801810);
INSERT INTO todo VALUES ('ses_dcecc59a2ffeMNJ46FlsxIszZ4', 'Fix bug', 'in_progress', 'high', 1, 1796121801810, 1796121801810);
