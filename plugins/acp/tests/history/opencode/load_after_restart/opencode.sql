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
INSERT INTO project VALUES ('aa3acf57cb9d4385eda39d374d6c591d70c517fc', '/workspace/project', 'git', NULL, NULL, NULL, NULL, 1796121754454, 1796121771854, NULL, '[]', NULL);
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
INSERT INTO session VALUES ('ses_dceccfbb0ffe3wQtE2bAo2WpiF', 'aa3acf57cb9d4385eda39d374d6c591d70c517fc', NULL, NULL, 'quiet-moon', '/workspace/project', '', 'Mock title', '1.18.33', NULL, 0, 0, 0, NULL, NULL, 0.0, 500, 100, 0, 0, 0, NULL, NULL, 'build', '{"id":"mock-model","providerID":"mock","variant":"low"}', 1796121756751, 1796121774400, NULL, NULL);
INSERT INTO session VALUES ('ses_dceccb661ffeL6QCAfMctuUl1j', 'aa3acf57cb9d4385eda39d374d6c591d70c517fc', NULL, NULL, 'brave-sailor', '/workspace/project', '', 'Mock title (fork #1)', '1.18.33', NULL, NULL, NULL, NULL, NULL, NULL, 0.0, 500, 100, 0, 0, 0, NULL, NULL, NULL, NULL, 1796121774494, 1796121774494, NULL, NULL);
CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO message VALUES ('msg_23133049d001vy4nzbEdqeq81A', 'ses_dceccfbb0ffe3wQtE2bAo2WpiF', 1796121756829, 1796121759008, '{"role":"user","time":{"created":1796121756829},"agent":"build","model":{"providerID":"mock","modelID":"mock-model","variant":"low"},"summary":{"diffs":[]}}');
INSERT INTO message VALUES ('msg_231330501001IJV9D2XA7mHe97', 'ses_dceccfbb0ffe3wQtE2bAo2WpiF', 1796121756930, 1796121758936, '{"parentID":"msg_23133049d001vy4nzbEdqeq81A","role":"assistant","mode":"build","agent":"build","variant":"low","path":{"cwd":"/workspace/project","root":"/workspace/project"},"cost":0,"tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"mock-model","providerID":"mock","time":{"created":1796121756930,"completed":1796121758931},"finish":"stop"}');
INSERT INTO message VALUES ('msg_231330d31001dp6HsCQ7sRtScZ', 'ses_dceccfbb0ffe3wQtE2bAo2WpiF', 1796121759025, 1796121760053, '{"role":"user","time":{"created":1796121759025},"agent":"build","model":{"providerID":"mock","modelID":"mock-model","variant":"low"},"summary":{"diffs":[{"file":"made-by-shell.txt","patch":"Index: made-by-shell.txt\n===================================================================\n--- made-by-shell.txt\t\n+++ made-by-shell.txt\t\n","additions":0,"deletions":0,"status":"added"}]}}');
INSERT INTO message VALUES ('msg_231330d3d001o8j9iyVEnOUKt2', 'ses_dceccfbb0ffe3wQtE2bAo2WpiF', 1796121759037, 1796121759771, '{"parentID":"msg_231330d31001dp6HsCQ7sRtScZ","role":"assistant","mode":"build","agent":"build","variant":"low","path":{"cwd":"/workspace/project","root":"/workspace/project"},"cost":0,"tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"mock-model","providerID":"mock","time":{"created":1796121759037,"completed":1796121759766},"finish":"tool-calls"}');
INSERT INTO message VALUES ('msg_231331023001SqT2eljuhYoZPp', 'ses_dceccfbb0ffe3wQtE2bAo2WpiF', 1796121759779, 1796121760161, '{"parentID":"msg_231330d31001dp6HsCQ7sRtScZ","role":"assistant","mode":"build","agent":"build","variant":"low","path":{"cwd":"/workspace/project","root":"/workspace/project"},"cost":0,"tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"mock-model","providerID":"mock","time":{"created":1796121759779,"completed":1796121760160},"finish":"stop"}');
INSERT INTO message VALUES ('msg_231332dac001d3XfHljZfl6um9', 'ses_dceccfbb0ffe3wQtE2bAo2WpiF', 1796121767340, 1796121769264, '{"role":"user","time":{"created":1796121767340},"agent":"build","model":{"providerID":"mock","modelID":"mock-model","variant":"low"},"summary":{"diffs":[]}}');
INSERT INTO message VALUES ('msg_231332dcc001s4warPiz08UaTp', 'ses_dceccfbb0ffe3wQtE2bAo2WpiF', 1796121767372, 1796121769187, '{"parentID":"msg_231332dac001d3XfHljZfl6um9","role":"assistant","mode":"build","agent":"build","variant":"low","path":{"cwd":"/workspace/project","root":"/workspace/project"},"cost":0,"tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"mock-model","providerID":"mock","time":{"created":1796121767372,"completed":1796121769185},"finish":"stop"}');
INSERT INTO message VALUES ('msg_2313344ab001g32Q0cYhZSVoD0', 'ses_dceccfbb0ffe3wQtE2bAo2WpiF', 1796121773227, 1796121774459, '{"role":"user","time":{"created":1796121773227},"agent":"build","model":{"providerID":"mock","modelID":"mock-model","variant":"low"},"summary":{"diffs":[]}}');
INSERT INTO message VALUES ('msg_2313344ca001uiDulkddgKifbk', 'ses_dceccfbb0ffe3wQtE2bAo2WpiF', 1796121773258, 1796121774390, '{"parentID":"msg_2313344ab001g32Q0cYhZSVoD0","role":"assistant","mode":"build","agent":"build","variant":"low","path":{"cwd":"/workspace/project","root":"/workspace/project"},"cost":0,"tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"mock-model","providerID":"mock","time":{"created":1796121773258,"completed":1796121774389},"finish":"stop"}');
INSERT INTO message VALUES ('msg_2313349a6001HEio5I9RZDUGQX', 'ses_dceccb661ffeL6QCAfMctuUl1j', 1796121756829, 1796121774503, '{"role":"user","time":{"created":1796121756829},"agent":"build","model":{"providerID":"mock","modelID":"mock-model","variant":"low"},"summary":{"diffs":[]}}');
INSERT INTO message VALUES ('msg_2313349ac001E8QOjGAMgliAfU', 'ses_dceccb661ffeL6QCAfMctuUl1j', 1796121756930, 1796121774509, '{"parentID":"msg_2313349a6001HEio5I9RZDUGQX","role":"assistant","mode":"build","agent":"build","variant":"low","path":{"cwd":"/workspace/project","root":"/workspace/project"},"cost":0,"tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"mock-model","providerID":"mock","time":{"created":1796121756930,"completed":1796121758931},"finish":"stop"}');
INSERT INTO message VALUES ('msg_2313349ba001uiwikU7I1ar6uB', 'ses_dceccb661ffeL6QCAfMctuUl1j', 1796121759025, 1796121774525, '{"role":"user","time":{"created":1796121759025},"agent":"build","model":{"providerID":"mock","modelID":"mock-model","variant":"low"},"summary":{"diffs":[{"file":"made-by-shell.txt","patch":"Index: made-by-shell.txt\n===================================================================\n--- made-by-shell.txt\t\n+++ made-by-shell.txt\t\n","additions":0,"deletions":0,"status":"added"}]}}');
INSERT INTO message VALUES ('msg_2313349c0001r6nchLOMyS2q1t', 'ses_dceccb661ffeL6QCAfMctuUl1j', 1796121759037, 1796121774529, '{"parentID":"msg_2313349ba001uiwikU7I1ar6uB","role":"assistant","mode":"build","agent":"build","variant":"low","path":{"cwd":"/workspace/project","root":"/workspace/project"},"cost":0,"tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"mock-model","providerID":"mock","time":{"created":1796121759037,"completed":1796121759766},"finish":"tool-calls"}');
INSERT INTO message VALUES ('msg_2313349f6001MXbpDLPErPvx3p', 'ses_dceccb661ffeL6QCAfMctuUl1j', 1796121759779, 1796121774586, '{"parentID":"msg_2313349ba001uiwikU7I1ar6uB","role":"assistant","mode":"build","agent":"build","variant":"low","path":{"cwd":"/workspace/project","root":"/workspace/project"},"cost":0,"tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"mock-model","providerID":"mock","time":{"created":1796121759779,"completed":1796121760160},"finish":"stop"}');
INSERT INTO message VALUES ('msg_231334a06001tv2587pdue6sh6', 'ses_dceccb661ffeL6QCAfMctuUl1j', 1796121767340, 1796121774603, '{"role":"user","time":{"created":1796121767340},"agent":"build","model":{"providerID":"mock","modelID":"mock-model","variant":"low"},"summary":{"diffs":[]}}');
INSERT INTO message VALUES ('msg_231334a12001y7xgOq5kikgNCl', 'ses_dceccb661ffeL6QCAfMctuUl1j', 1796121767372, 1796121774613, '{"parentID":"msg_231334a06001tv2587pdue6sh6","role":"assistant","mode":"build","agent":"build","variant":"low","path":{"cwd":"/workspace/project","root":"/workspace/project"},"cost":0,"tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"mock-model","providerID":"mock","time":{"created":1796121767372,"completed":1796121769185},"finish":"stop"}');
INSERT INTO message VALUES ('msg_231334a3c001HqR70VFP6eIuvO', 'ses_dceccb661ffeL6QCAfMctuUl1j', 1796121773227, 1796121774653, '{"role":"user","time":{"created":1796121773227},"agent":"build","model":{"providerID":"mock","modelID":"mock-model","variant":"low"},"summary":{"diffs":[]}}');
INSERT INTO message VALUES ('msg_231334a41001SodquGktwyVpuN', 'ses_dceccb661ffeL6QCAfMctuUl1j', 1796121773258, 1796121774659, '{"parentID":"msg_231334a3c001HqR70VFP6eIuvO","role":"assistant","mode":"build","agent":"build","variant":"low","path":{"cwd":"/workspace/project","root":"/workspace/project"},"cost":0,"tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"mock-model","providerID":"mock","time":{"created":1796121773258,"completed":1796121774389},"finish":"stop"}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO part VALUES ('prt_2313304a200112tFVeNH33nM1f', 'msg_23133049d001vy4nzbEdqeq81A', 'ses_dceccfbb0ffe3wQtE2bAo2WpiF', 1796121756846, 1796121756850, '{"type":"text","text":"One <<script:hello>>"}');
INSERT INTO part VALUES ('prt_231330b3a001DiLK5yzqumSpWy', 'msg_231330501001IJV9D2XA7mHe97', 'ses_dceccfbb0ffe3wQtE2bAo2WpiF', 1796121758522, 1796121758525, '{"snapshot":"48763b374917d881d562a266da8dcc2e3471c733","type":"step-start"}');
INSERT INTO part VALUES ('prt_231330b44001M2cMY4gcu6fXl4', 'msg_231330501001IJV9D2XA7mHe97', 'ses_dceccfbb0ffe3wQtE2bAo2WpiF', 1796121758532, 1796121758804, '{"type":"text","text":"Hello! This is a streamed reply from the mock model, in several pieces.","time":{"start":1796121758532,"end":1796121758803}}');
INSERT INTO part VALUES ('prt_231330c8a001XTHiUq7GNFUdKU', 'msg_231330501001IJV9D2XA7mHe97', 'ses_dceccfbb0ffe3wQtE2bAo2WpiF', 1796121758858, 1796121758860, '{"reason":"stop","snapshot":"48763b374917d881d562a266da8dcc2e3471c733","type":"step-finish","tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO part VALUES ('prt_231330d32001rqx0BLVeKL7cSn', 'msg_231330d31001dp6HsCQ7sRtScZ', 'ses_dceccfbb0ffe3wQtE2bAo2WpiF', 1796121759028, 1796121759029, '{"type":"text","text":"Run <<script:bash>>"}');
INSERT INTO part VALUES ('prt_231330def001rSdl4wGEuW3FFv', 'msg_231330d3d001o8j9iyVEnOUKt2', 'ses_dceccfbb0ffe3wQtE2bAo2WpiF', 1796121759215, 1796121759217, '{"snapshot":"48763b374917d881d562a266da8dcc2e3471c733","type":"step-start"}');
INSERT INTO part VALUES ('prt_231330df3001EKyxeg6xBCae8F', 'msg_231330d3d001o8j9iyVEnOUKt2', 'ses_dceccfbb0ffe3wQtE2bAo2WpiF', 1796121759222, 1796121759300, '{"type":"text","text":"Running a command.","time":{"start":1796121759219,"end":1796121759299}}');
INSERT INTO part VALUES ('prt_231330e12001Oryq83HjCyYRFu', 'msg_231330d3d001o8j9iyVEnOUKt2', 'ses_dceccfbb0ffe3wQtE2bAo2WpiF', 1796121759250, 1796121759523, '{"type":"tool","tool":"bash","callID":"call_mock_0012_1","state":{"status":"completed","input":{"command":"touch made-by-shell.txt && echo hi-from-shell","description":"run"},"output":"hi-from-shell\n","metadata":{"output":"hi-from-shell\n","exit":0,"truncated":false},"title":"touch made-by-shell.txt && echo hi-from-shell","time":{"start":1796121759288,"end":1796121759521}}}');
INSERT INTO part VALUES ('prt_231330fb3001pq5fZHyJpKeAoH', 'msg_231330d3d001o8j9iyVEnOUKt2', 'ses_dceccfbb0ffe3wQtE2bAo2WpiF', 1796121759667, 1796121759669, '{"reason":"tool-calls","snapshot":"03d7d9be8173e2d831c7eb5261c519b762f24323","type":"step-finish","tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO part VALUES ('prt_2313310120015H8kDQLmlHD413', 'msg_231330d3d001o8j9iyVEnOUKt2', 'ses_dceccfbb0ffe3wQtE2bAo2WpiF', 1796121759762, 1796121759764, '{"type":"patch","hash":"48763b374917d881d562a266da8dcc2e3471c733","files":["/workspace/project/made-by-shell.txt"]}');
INSERT INTO part VALUES ('prt_2313310d6001jbVMwq3h4FXVWp', 'msg_231331023001SqT2eljuhYoZPp', 'ses_dceccfbb0ffe3wQtE2bAo2WpiF', 1796121759958, 1796121759961, '{"snapshot":"03d7d9be8173e2d831c7eb5261c519b762f24323","type":"step-start"}');
INSERT INTO part VALUES ('prt_2313310da001MF45FpIf8sMaU4', 'msg_231331023001SqT2eljuhYoZPp', 'ses_dceccfbb0ffe3wQtE2bAo2WpiF', 1796121759962, 1796121759994, '{"type":"text","text":"The command ran.","time":{"start":1796121759962,"end":1796121759993}}');
INSERT INTO part VALUES ('prt_23133115d0019vbKEFRMJKx5OU', 'msg_231331023001SqT2eljuhYoZPp', 'ses_dceccfbb0ffe3wQtE2bAo2WpiF', 1796121760093, 1796121760099, '{"reason":"stop","snapshot":"03d7d9be8173e2d831c7eb5261c519b762f24323","type":"step-finish","tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO part VALUES ('prt_231332daf001x1hnZVCVBx2Y98', 'msg_231332dac001d3XfHljZfl6um9', 'ses_dceccfbb0ffe3wQtE2bAo2WpiF', 1796121767353, 1796121767355, '{"type":"text","text":"Three <<script:third>>"}');
INSERT INTO part VALUES ('prt_23133344e001fzjk141WsEw7Ek', 'msg_231332dcc001s4warPiz08UaTp', 'ses_dceccfbb0ffe3wQtE2bAo2WpiF', 1796121769038, 1796121769040, '{"snapshot":"03d7d9be8173e2d831c7eb5261c519b762f24323","type":"step-start"}');
INSERT INTO part VALUES ('prt_231333452001hH0x0BQfgBHh7r', 'msg_231332dcc001s4warPiz08UaTp', 'ses_dceccfbb0ffe3wQtE2bAo2WpiF', 1796121769042, 1796121769073, '{"type":"text","text":"Third answer, after the restart.","time":{"start":1796121769042,"end":1796121769072}}');
INSERT INTO part VALUES ('prt_2313334a3001OzQlYkevQsFaCj', 'msg_231332dcc001s4warPiz08UaTp', 'ses_dceccfbb0ffe3wQtE2bAo2WpiF', 1796121769124, 1796121769125, '{"reason":"stop","snapshot":"03d7d9be8173e2d831c7eb5261c519b762f24323","type":"step-finish","tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO part VALUES ('prt_2313344ae001NMucFLRaq1T5yj', 'msg_2313344ab001g32Q0cYhZSVoD0', 'ses_dceccfbb0ffe3wQtE2bAo2WpiF', 1796121773241, 1796121773243, '{"type":"text","text":"Two <<script:second>>"}');
INSERT INTO part VALUES ('prt_2313348a70010sFj6ERXHyJicH', 'msg_2313344ca001uiDulkddgKifbk', 'ses_dceccfbb0ffe3wQtE2bAo2WpiF', 1796121774247, 1796121774249, '{"snapshot":"03d7d9be8173e2d831c7eb5261c519b762f24323","type":"step-start"}');
INSERT INTO part VALUES ('prt_2313348ac001eZEOl4Gcv28C14', 'msg_2313344ca001uiDulkddgKifbk', 'ses_dceccfbb0ffe3wQtE2bAo2WpiF', 1796121774252, 1796121774261, '{"type":"text","text":"This is the second answer.","time":{"start":1796121774252,"end":1796121774260}}');
INSERT INTO part VALUES ('prt_231334907001cNr0GGZAN9x8FB', 'msg_2313344ca001uiDulkddgKifbk', 'ses_dceccfbb0ffe3wQtE2bAo2WpiF', 1796121774343, 1796121774345, '{"reason":"stop","snapshot":"03d7d9be8173e2d831c7eb5261c519b762f24323","type":"step-finish","tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO part VALUES ('prt_2313349a90013LczI1lvPEjn5K', 'msg_2313349a6001HEio5I9RZDUGQX', 'ses_dceccb661ffeL6QCAfMctuUl1j', 1796121774505, 1796121774506, '{"type":"text","text":"One <<script:hello>>"}');
INSERT INTO part VALUES ('prt_2313349ae001iyjiAPaV3C2qfQ', 'msg_2313349ac001E8QOjGAMgliAfU', 'ses_dceccb661ffeL6QCAfMctuUl1j', 1796121774510, 1796121774515, '{"snapshot":"48763b374917d881d562a266da8dcc2e3471c733","type":"step-start"}');
INSERT INTO part VALUES ('prt_2313349b4001jPduW5KnCnFlwY', 'msg_2313349ac001E8QOjGAMgliAfU', 'ses_dceccb661ffeL6QCAfMctuUl1j', 1796121774516, 1796121774517, '{"type":"text","text":"Hello! This is a streamed reply from the mock model, in several pieces.","time":{"start":1796121758532,"end":1796121758803}}');
INSERT INTO part VALUES ('prt_2313349b6001uW9GDYE0Qj37hH', 'msg_2313349ac001E8QOjGAMgliAfU', 'ses_dceccb661ffeL6QCAfMctuUl1j', 1796121774520, 1796121774521, '{"reason":"stop","snapshot":"48763b374917d881d562a266da8dcc2e3471c733","type":"step-finish","tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO part VALUES ('prt_2313349be001HqRWYS141S4k54', 'msg_2313349ba001uiwikU7I1ar6uB', 'ses_dceccb661ffeL6QCAfMctuUl1j', 1796121774526, 1796121774527, '{"type":"text","text":"Run <<script:bash>>"}');
INSERT INTO part VALUES ('prt_2313349c1001n8ke6Bgs7BA9QO', 'msg_2313349c0001r6nchLOMyS2q1t', 'ses_dceccb661ffeL6QCAfMctuUl1j', 1796121774529, 1796121774530, '{"snapshot":"48763b374917d881d562a266da8dcc2e3471c733","type":"step-start"}');
INSERT INTO part VALUES ('prt_2313349cb001jtZW6frf5qvP9S', 'msg_2313349c0001r6nchLOMyS2q1t', 'ses_dceccb661ffeL6QCAfMctuUl1j', 1796121774540, 1796121774541, '{"type":"text","text":"Running a command.","time":{"start":1796121759219,"end":1796121759299}}');
INSERT INTO part VALUES ('prt_2313349e60010BGxpj5YWkDD1K', 'msg_2313349c0001r6nchLOMyS2q1t', 'ses_dceccb661ffeL6QCAfMctuUl1j', 1796121774566, 1796121774570, '{"type":"tool","tool":"bash","callID":"call_mock_0012_1","state":{"status":"completed","input":{"command":"touch made-by-shell.txt && echo hi-from-shell","description":"run"},"output":"hi-from-shell\n","metadata":{"output":"hi-from-shell\n","exit":0,"truncated":false},"title":"touch made-by-shell.txt && echo hi-from-shell","time":{"start":1796121759288,"end":1796121759521}}}');
INSERT INTO part VALUES ('prt_2313349eb001O6AfiZ2X05J8N3', 'msg_2313349c0001r6nchLOMyS2q1t', 'ses_dceccb661ffeL6QCAfMctuUl1j', 1796121774572, 1796121774573, '{"reason":"tool-calls","snapshot":"03d7d9be8173e2d831c7eb5261c519b762f24323","type":"step-finish","tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO part VALUES ('prt_2313349f30016WdypxCoIWyudf', 'msg_2313349c0001r6nchLOMyS2q1t', 'ses_dceccb661ffeL6QCAfMctuUl1j', 1796121774579, 1796121774581, '{"type":"patch","hash":"48763b374917d881d562a266da8dcc2e3471c733","files":["/workspace/project/made-by-shell.txt"]}');
INSERT INTO part VALUES ('prt_2313349fb0015gpsYTFnCO0sm3', 'msg_2313349f6001MXbpDLPErPvx3p', 'ses_dceccb661ffeL6QCAfMctuUl1j', 1796121774587, 1796121774588, '{"snapshot":"03d7d9be8173e2d831c7eb5261c519b762f24323","type":"step-start"}');
INSERT INTO part VALUES ('prt_2313349fd001RtelDqcg1SX7Mu', 'msg_2313349f6001MXbpDLPErPvx3p', 'ses_dceccb661ffeL6QCAfMctuUl1j', 1796121774590, 1796121774592, '{"type":"text","text":"The command ran.","time":{"start":1796121759962,"end":1796121759993}}');
INSERT INTO part VALUES ('prt_231334a030012wQow8TwGSjKeR', 'msg_2313349f6001MXbpDLPErPvx3p', 'ses_dceccb661ffeL6QCAfMctuUl1j', 1796121774595, 1796121774597, '{"reason":"stop","snapshot":"03d7d9be8173e2d831c7eb5261c519b762f24323","type":"step-finish","tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO part VALUES ('prt_231334a0d001PEHK949DCQjKO5', 'msg_231334a06001tv2587pdue6sh6', 'ses_dceccb661ffeL6QCAfMctuUl1j', 1796121774605, 1796121774606, '{"type":"text","text":"Three <<script:third>>"}');
INSERT INTO part VALUES ('prt_231334a16001B6daiYG1HwlNCP', 'msg_231334a12001y7xgOq5kikgNCl', 'ses_dceccb661ffeL6QCAfMctuUl1j', 1796121774615, 1796121774616, '{"snapshot":"03d7d9be8173e2d831c7eb5261c519b762f24323","type":"step-start"}');
INSERT INTO part VALUES ('prt_231334a19001G5bdk4OqqZWhxv', 'msg_231334a12001y7xgOq5kikgNCl', 'ses_dceccb661ffeL6QCAfMctuUl1j', 1796121774617, 1796121774618, '{"type":"text","text":"Third answer, after the restart.","time":{"start":1796121769042,"end":1796121769072}}');
INSERT INTO part VALUES ('prt_231334a1d001ylduo4nVy0dy6w', 'msg_231334a12001y7xgOq5kikgNCl', 'ses_dceccb661ffeL6QCAfMctuUl1j', 1796121774621, 1796121774642, '{"reason":"stop","snapshot":"03d7d9be8173e2d831c7eb5261c519b762f24323","type":"step-finish","tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO part VALUES ('prt_231334a3f001vjVexbj1F0Ue08', 'msg_231334a3c001HqR70VFP6eIuvO', 'ses_dceccb661ffeL6QCAfMctuUl1j', 1796121774655, 1796121774656, '{"type":"text","text":"Two <<script:second>>"}');
INSERT INTO part VALUES ('prt_231334a4d0015i51I9Rai3JTqp', 'msg_231334a41001SodquGktwyVpuN', 'ses_dceccb661ffeL6QCAfMctuUl1j', 1796121774669, 1796121774670, '{"snapshot":"03d7d9be8173e2d831c7eb5261c519b762f24323","type":"step-start"}');
INSERT INTO part VALUES ('prt_231334a54001fUgjjgwd3yhvKA', 'msg_231334a41001SodquGktwyVpuN', 'ses_dceccb661ffeL6QCAfMctuUl1j', 1796121774676, 1796121774677, '{"type":"text","text":"This is the second answer.","time":{"start":1796121774252,"end":1796121774260}}');
INSERT INTO part VALUES ('prt_231334a57001y6JeygyA8C1W70', 'msg_231334a41001SodquGktwyVpuN', 'ses_dceccb661ffeL6QCAfMctuUl1j', 1796121774681, 1796121774697, '{"reason":"stop","snapshot":"03d7d9be8173e2d831c7eb5261c519b762f24323","type":"step-finish","tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
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
