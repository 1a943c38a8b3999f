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
INSERT INTO project VALUES ('7af9d691fd8ab5a420470856a63093b9619461a0', '/workspace/project', 'git', NULL, NULL, NULL, NULL, 1796121747116, 1796121748252, NULL, '[]', NULL);
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
INSERT INTO session VALUES ('ses_dcecd17b3ffe5DrtODe3vWrlAL', '7af9d691fd8ab5a420470856a63093b9619461a0', NULL, NULL, 'mighty-falcon', '/workspace/project', '', 'Mock title', '1.18.33', NULL, 0, 0, 0, NULL, NULL, 0.0, 200, 40, 0, 0, 0, NULL, NULL, 'build', '{"id":"mock-model","providerID":"mock","variant":"low"}', 1796121749581, 1796121751758, NULL, NULL);
CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO message VALUES ('msg_23132e88000152pGA3HRmgIpf7', 'ses_dcecd17b3ffe5DrtODe3vWrlAL', 1796121749632, 1796121751492, '{"role":"user","time":{"created":1796121749632},"agent":"build","model":{"providerID":"mock","modelID":"mock-model","variant":"low"},"summary":{"diffs":[]}}');
INSERT INTO message VALUES ('msg_23132e898001ro4HzrzJagdiqP', 'ses_dcecd17b3ffe5DrtODe3vWrlAL', 1796121749656, 1796121751408, '{"parentID":"msg_23132e88000152pGA3HRmgIpf7","role":"assistant","mode":"build","agent":"build","variant":"low","path":{"cwd":"/workspace/project","root":"/workspace/project"},"cost":0,"tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"mock-model","providerID":"mock","time":{"created":1796121749656,"completed":1796121751406},"finish":"stop"}');
INSERT INTO message VALUES ('msg_23132efce001RrTkbRMDVLel8x', 'ses_dcecd17b3ffe5DrtODe3vWrlAL', 1796121751502, 1796121751797, '{"role":"user","time":{"created":1796121751502},"agent":"build","model":{"providerID":"mock","modelID":"mock-model","variant":"low"},"summary":{"diffs":[]}}');
INSERT INTO message VALUES ('msg_23132efdc001dj3UeqKHQvyRM4', 'ses_dcecd17b3ffe5DrtODe3vWrlAL', 1796121751516, 1796121751754, '{"parentID":"msg_23132efce001RrTkbRMDVLel8x","role":"assistant","mode":"build","agent":"build","variant":"low","path":{"cwd":"/workspace/project","root":"/workspace/project"},"cost":0,"tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"mock-model","providerID":"mock","time":{"created":1796121751516,"completed":1796121751753},"finish":"stop"}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO part VALUES ('prt_23132e883001gCkxKE0V3AD13E', 'msg_23132e88000152pGA3HRmgIpf7', 'ses_dcecd17b3ffe5DrtODe3vWrlAL', 1796121749641, 1796121749642, '{"type":"text","text":"One <<script:hello>>"}');
INSERT INTO part VALUES ('prt_23132edc20015vSnHOg90eW1Ei', 'msg_23132e898001ro4HzrzJagdiqP', 'ses_dcecd17b3ffe5DrtODe3vWrlAL', 1796121750978, 1796121750980, '{"snapshot":"48763b374917d881d562a266da8dcc2e3471c733","type":"step-start"}');
INSERT INTO part VALUES ('prt_23132edc5001HRYxIpJNhb9Ykk', 'msg_23132e898001ro4HzrzJagdiqP', 'ses_dcecd17b3ffe5DrtODe3vWrlAL', 1796121750981, 1796121751277, '{"type":"text","text":"Hello! This is a streamed reply from the mock model, in several pieces.","time":{"start":1796121750981,"end":1796121751275}}');
INSERT INTO part VALUES ('prt_23132ef2f001q5DR4ZMrJ79hEj', 'msg_23132e898001ro4HzrzJagdiqP', 'ses_dcecd17b3ffe5DrtODe3vWrlAL', 1796121751344, 1796121751345, '{"reason":"stop","snapshot":"48763b374917d881d562a266da8dcc2e3471c733","type":"step-finish","tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO part VALUES ('prt_23132efce002O40NQuYkJUwpKN', 'msg_23132efce001RrTkbRMDVLel8x', 'ses_dcecd17b3ffe5DrtODe3vWrlAL', 1796121751506, 1796121751506, '{"type":"text","text":"Two <<script:second>>"}');
INSERT INTO part VALUES ('prt_23132f050001mUmWGfMa1mpXCS', 'msg_23132efdc001dj3UeqKHQvyRM4', 'ses_dcecd17b3ffe5DrtODe3vWrlAL', 1796121751632, 1796121751633, '{"snapshot":"48763b374917d881d562a266da8dcc2e3471c733","type":"step-start"}');
INSERT INTO part VALUES ('prt_23132f0520018Gz6tTxU3FtSl3', 'msg_23132efdc001dj3UeqKHQvyRM4', 'ses_dcecd17b3ffe5DrtODe3vWrlAL', 1796121751634, 1796121751665, '{"type":"text","text":"This is the second answer.","time":{"start":1796121751634,"end":1796121751664}}');
INSERT INTO part VALUES ('prt_23132f09d001vDV60ID5yrFapb', 'msg_23132efdc001dj3UeqKHQvyRM4', 'ses_dcecd17b3ffe5DrtODe3vWrlAL', 1796121751709, 1796121751711, '{"reason":"stop","snapshot":"48763b374917d881d562a266da8dcc2e3471c733","type":"step-finish","tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
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
