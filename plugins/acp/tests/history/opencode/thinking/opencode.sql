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
INSERT INTO project VALUES ('3a58cce6309e1b9feadff902d11d3649c0f69870', '/workspace/project', 'git', NULL, NULL, NULL, NULL, 1796121785481, 1796121786766, NULL, '[]', NULL);
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
INSERT INTO session VALUES ('ses_dcecc80e6ffeKzdwWX4UDUVZ80', '3a58cce6309e1b9feadff902d11d3649c0f69870', NULL, NULL, 'gentle-star', '/workspace/project', '', 'Mock title', '1.18.33', NULL, 0, 0, 0, NULL, NULL, 0.0, 100, 20, 0, 0, 0, NULL, NULL, 'build', '{"id":"mock-model","providerID":"mock","variant":"low"}', 1796121788185, 1796121789971, NULL, NULL);
CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO message VALUES ('msg_231337f55001V0kjMWuNL5FRGd', 'ses_dcecc80e6ffeKzdwWX4UDUVZ80', 1796121788246, 1796121790061, '{"role":"user","time":{"created":1796121788246},"agent":"build","model":{"providerID":"mock","modelID":"mock-model","variant":"low"},"summary":{"diffs":[]}}');
INSERT INTO message VALUES ('msg_231337f80001dkkBCCe7AImNd9', 'ses_dcecc80e6ffeKzdwWX4UDUVZ80', 1796121788288, 1796121789965, '{"parentID":"msg_231337f55001V0kjMWuNL5FRGd","role":"assistant","mode":"build","agent":"build","variant":"low","path":{"cwd":"/workspace/project","root":"/workspace/project"},"cost":0,"tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"mock-model","providerID":"mock","time":{"created":1796121788288,"completed":1796121789958},"finish":"stop"}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO part VALUES ('prt_231337f58001ZyGvLRIeIBKARy', 'msg_231337f55001V0kjMWuNL5FRGd', 'ses_dcecc80e6ffeKzdwWX4UDUVZ80', 1796121788254, 1796121788257, '{"type":"text","text":"Go <<script:think>>"}');
INSERT INTO part VALUES ('prt_231338444001evItSkPi5Zd68e', 'msg_231337f80001dkkBCCe7AImNd9', 'ses_dcecc80e6ffeKzdwWX4UDUVZ80', 1796121789508, 1796121789510, '{"snapshot":"48763b374917d881d562a266da8dcc2e3471c733","type":"step-start"}');
INSERT INTO part VALUES ('prt_231338449001BiqNC02Q11cTTq', 'msg_231337f80001dkkBCCe7AImNd9', 'ses_dcecc80e6ffeKzdwWX4UDUVZ80', 1796121789513, 1796121789748, '{"type":"reasoning","text":"**Considering** Let me think about this step by step. First, consider. Second, answer.","time":{"start":1796121789513,"end":1796121789746}}');
INSERT INTO part VALUES ('prt_2313385350012OpEVh4kBUbtF7', 'msg_231337f80001dkkBCCe7AImNd9', 'ses_dcecc80e6ffeKzdwWX4UDUVZ80', 1796121789749, 1796121789821, '{"type":"text","text":"Here is the considered answer.","time":{"start":1796121789749,"end":1796121789818}}');
INSERT INTO part VALUES ('prt_2313385d2001TUyfdl3kCdpDGb', 'msg_231337f80001dkkBCCe7AImNd9', 'ses_dcecc80e6ffeKzdwWX4UDUVZ80', 1796121789906, 1796121789909, '{"reason":"stop","snapshot":"48763b374917d881d562a266da8dcc2e3471c733","type":"step-finish","tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
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
