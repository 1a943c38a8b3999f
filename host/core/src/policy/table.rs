//! **The policy: one row per intent, and nothing else decides.**
//!
//! A row says when the provider can do it itself, what is missing otherwise, which steps are tried in order, and the
//! way out when none fits. A new intent without a row does not compile. Tests: `tests.rs` beside this file.

use super::{Intent, PolicyConfig, Strategy};
use crate::capability::{Capabilities, Enforcement, Strength};

/// What happens with one intent.
pub(super) struct Row {
    /// True when the provider does it itself.
    pub native: fn(&Capabilities) -> bool,
    /// What is missing when it is not.
    pub missing: &'static str,
    /// What is tried instead, in order.
    pub otherwise: &'static [Step],
    /// What a person can do when nothing fits.
    pub way_out: &'static str,
}

/// One thing that may be done instead.
pub(super) struct Step {
    pub strategy: Strategy,
    pub when: fn(&Capabilities, &PolicyConfig) -> bool,
    pub loses: &'static [&'static str],
}

macro_rules! row {
    ($native:expr; missing $missing:literal; $( else $strategy:ident if $when:expr, loses $loses:expr; )* or $way_out:literal) => {
        Row { native: $native, missing: $missing, way_out: $way_out, otherwise: &[
            $( Step { strategy: Strategy::$strategy, when: $when, loses: &$loses }, )*
        ] }
    };
}

/// Ids that are not strong are told apart by how often each came; without ids, by their order.
macro_rules! by_strength {
    (|$c:ident| ($strength:expr, $exposed:expr)) => {
        row!(|$c| $strength == Strength::Strong && $exposed; missing "the provider's own ids are not unique for good";
            else Occurrences if |$c, _| $strength == Strength::Weak && $exposed, loses [];
            else Ordinals if |_, _| true, loses []; or "wait")
    };
}

/// A thread's copy made from our own record needs a provider that takes a whole handoff in the person's name.
fn can_rebuild(c: &Capabilities) -> bool {
    c.context.accepts_synthetic_user_context && c.context.supports_full_thread_handoff
}

fn has_handoff(c: &Capabilities) -> bool {
    c.sessions.supports_provider_switching_via_handoff
        && c.context.supports_full_thread_handoff
        && (c.context.can_consume_handoff_summaries || c.context.accepts_synthetic_user_context)
}

fn fresh(c: &Capabilities, p: &PolicyConfig) -> bool {
    p.fresh_thread_on_switch && has_handoff(c)
}

/// The row of an intent.
#[rustfmt::skip] // A table is read by its columns.
pub(super) fn row(intent: Intent) -> Row {
    use Intent as I;
    match intent {
        I::Interrupt => row!(|c| c.turns.supports_interrupt; missing "the provider cannot stop a turn";
            else StopSession if |_, p| p.stop_session_on_interrupt, loses ["the live session of every thread it serves", "open requests", "background work"];
            or "wait for the turn's end, or allow stop-session-on-interrupt"),
        I::InterruptTurnOnly => row!(|c| c.turns.supports_interrupt && c.turns.interrupt_keeps_background_work;
            missing "the provider does not keep background work when a turn is stopped";
            else InterruptEverything if |c, _| c.turns.supports_interrupt, loses ["background work of the turn"];
            else StopSession if |_, p| p.stop_session_on_interrupt, loses ["the live session of every thread it serves", "open requests", "background work"];
            or "wait for the turn's end"),
        I::Steer => row!(|c| c.turns.supports_active_steering && !c.turns.active_steering_interrupts_tools;
            missing "the provider does not take a message into an open turn without a cost";
            else SteerAndStopTools if |c, _| c.turns.supports_active_steering, loses ["tools that run in the turn"];
            else InterruptAndRestart if |c, p| p.interrupt_restart && c.turns.supports_interrupt && c.turns.supports_steering_by_interrupt_restart, loses ["what the turn has done so far is not taken back", "the rest of the open turn"];
            else ProviderQueue if |c, _| c.turns.supports_queued_messages, loses ["the message arrives only after the turn"];
            else HostQueue if |_, p| p.host_queue, loses ["the message arrives only after the turn"];
            or "interrupt the turn first, then send the message"),
        I::QueueMessage => row!(|c| c.turns.supports_queued_messages; missing "the provider has no queue";
            else HostQueue if |_, p| p.host_queue, loses [];
            or "send the message when the turn has ended"),
        I::PromptAfterTurn => row!(|c| c.identity.native_turn_ids != Strength::None; missing "the provider has no ids of turns: a late word could be taken for the next turn's";
            else WaitForDrain if |_, _| true, loses [];
            or "wait"),
        I::SwitchModel => row!(|c| c.sessions.supports_model_switch_in_session; missing "the provider cannot change the model of a live session";
            else RestartAndResume if |_, p| p.restart_on_switch, loses ["the live session", "background work"];
            else FreshThreadWithHandoff if fresh, loses ["the provider's own memory of the thread, but for a summary"];
            or "begin a new thread with the other model"),
        I::SwitchMode => row!(|c| c.sessions.supports_runtime_mode_switch_in_session; missing "the provider cannot change the mode of a live session";
            else RestartAndResume if |_, p| p.restart_on_switch, loses ["the live session", "background work"];
            else FreshThreadWithHandoff if fresh, loses ["the provider's own memory of the thread, but for a summary"];
            or "begin a new thread in the other mode"),
        I::ListSettings => row!(|c| c.sessions.lists_settings; missing "the provider does not list its models and modes";
            or "name the model or the mode yourself"),
        I::SwitchProvider => row!(|c| has_handoff(c) && c.context.can_consume_handoff_summaries;
            missing "the provider does not take a handoff";
            else SyntheticUserContext if |c, p| p.synthetic_user_context && can_rebuild(c), loses ["the difference between what you said and what was summarized"];
            or "begin a new thread and paste what matters"),
        I::ReturnToProvider => row!(|c| c.context.supports_delta_handoff && c.context.can_consume_handoff_summaries && c.sessions.supports_provider_switching_via_handoff;
            missing "the provider does not take a summary of only what it missed";
            else FullHandoff if fresh, loses ["the provider's own memory of its part, but for a summary"];
            else SyntheticUserContext if |c, p| p.synthetic_user_context && can_rebuild(c), loses ["the provider's own memory of its part", "the difference between what you said and what was summarized"];
            or "resume the old thread without what happened since"),
        I::ShareSession => row!(|c| c.sessions.supports_multiple_provider_threads_per_session; missing "a session of the provider serves one thread";
            else SessionPerThread if |_, _| true, loses [];
            or "one session per thread"),
        I::Resume => row!(|_| true; missing "every provider can resume"; or "begin a new thread"),
        I::CreateEmptyThread => row!(|c| c.threads.can_create_empty_thread; missing "the provider creates a thread with its first message";
            else CreateWithFirstMessage if |_, _| true, loses [];
            or "send a message"),
        I::AnswerRequest => row!(|_| true; missing "a request that is open can be answered"; or "send a message"),
        // By an id that is not unique for good, an answer could go to another question.
        I::AnswerAfterRestart => row!(|c| c.sessions.pending_requests_survive_restart && !c.approvals.approval_callbacks_are_live_only
                && c.identity.native_request_ids == Strength::Strong && c.approvals.approvals_have_native_request_ids;
            missing "the session that asked is gone: the request has expired and is not resumable";
            or "send a message, and the provider will ask again"),
        I::ForkAtTip => row!(|c| c.threads.can_fork_thread && c.identity.native_thread_ids == Strength::Strong; missing "the provider cannot copy a thread that it names for good";
            else SyntheticFork if |c, p| p.synthetic_forks && can_rebuild(c), loses ["the provider's own memory of the thread, but for our record"];
            or "begin a new thread"),
        I::ForkAtTurn => row!(|c| c.threads.can_fork_from_turn && c.identity.native_thread_ids == Strength::Strong; missing "the provider cannot copy a thread at an earlier turn";
            else SyntheticFork if |c, p| p.synthetic_forks && can_rebuild(c), loses ["the provider's own memory of the thread, but for our record"];
            or "fork at the end, or begin a new thread"),
        I::ForkAtItem => row!(|c| c.threads.can_fork_from_item && c.identity.native_thread_ids == Strength::Strong; missing "the provider cannot copy a thread inside a turn";
            else ForkAtTurn if |c, _| c.threads.can_fork_from_turn && c.identity.native_thread_ids == Strength::Strong, loses ["the cut inside the turn: the copy holds the whole turn"];
            else SyntheticFork if |c, p| p.synthetic_forks && can_rebuild(c), loses ["the provider's own memory of the thread, but for our record"];
            or "fork at a turn, or begin a new thread"),
        I::ForkSubagent => row!(|c| c.threads.can_fork_from_subagent_thread && c.subagents.can_fork_subagent_thread && c.subagents.exposes_subagent_thread_ids;
            missing "the provider cannot copy a subagent's thread";
            else SyntheticFork if |c, p| p.synthetic_forks && can_rebuild(c), loses ["what the subagent knew and did not show"];
            or "begin a new thread"),
        I::Rollback => row!(|c| can_roll_back(c) && c.checkpointing.provider_rollback_returns_snapshot; missing "the provider cannot forget turns and tell what is left";
            else RollbackAndReread if |c, _| can_roll_back(c) && can_read(c), loses [];
            else RollbackUnseen if |c, _| can_roll_back(c), loses ["proof of what the provider still knows"];
            else RestoreFilesAndRestart if |c, p| p.divergent_rollback && c.checkpointing.app_can_checkpoint_filesystem, loses ["the provider's memory: it is marked divergent"];
            or "begin a new thread"),
        I::Checkpoint => row!(|c| c.checkpointing.app_can_checkpoint_filesystem; missing "files of this provider's work cannot be saved by the host";
            or "commit your work yourself"),
        I::NestedCheckpoint => row!(|c| c.checkpointing.app_can_checkpoint_filesystem && c.checkpointing.supports_nested_checkpoint_scopes; missing "parts of a run cannot be saved by themselves";
            else RootCheckpoint if |c, _| c.checkpointing.app_can_checkpoint_filesystem, loses ["going back inside a run: files touched by subagents are recorded as uncheckpointed"];
            or "commit your work yourself"),
        I::ReadThread => row!(can_read; missing "the provider does not give back a thread's history";
            else OwnRecord if |_, _| true, loses ["what happened outside this program"];
            or "see the threads list"),
        I::Summarize => row!(|c| c.context.can_generate_summaries; missing "the provider does not write summaries";
            else LocalSummary if |_, p| p.local_summaries, loses ["the provider's understanding: our summary is cut by a fixed rule"];
            or "ask for a summary in a message"),
        I::Compact => row!(|c| c.context.supports_compact; missing "the provider cannot shorten its context"; or "begin a new thread"),
        I::Clear => row!(|c| c.context.supports_clear; missing "the provider cannot empty its context"; or "begin a new thread"),
        I::Attach => row!(|c| c.input.accepts_attachments; missing "the provider takes no attachments"; or "name the file in your message"),
        I::ExpertPrompt => row!(|c| c.input.accepts_expert_prompts; missing "the provider takes no rewritten prompts"; or "write the role into your message"),
        I::SetMcpServers => row!(|c| c.tools.supports_mcp_tools; missing "MCP servers cannot be given to the provider"; or "configure them in the provider's own files"),
        I::SelectMcpTools => row!(|c| c.tools.supports_mcp_tools && c.tools.supports_mcp_server_selection; missing "single MCP servers and tools cannot be switched off"; or "leave the server out"),
        I::RegisterTools => row!(|c| c.tools.supports_dynamic_tool_callbacks; missing "the provider cannot call tools of the host's"; or "offer them by an MCP server"),
        I::GiveSystemContext => row!(|c| c.context.accepts_system_context; missing "nothing can be added to the system prompt";
            else DeveloperContext if |c, _| c.context.accepts_developer_context, loses ["the rank of a system prompt"];
            else SyntheticUserContext if |c, p| p.synthetic_user_context && c.context.accepts_synthetic_user_context, loses ["the rank of a system prompt"];
            or "write it into your message"),
        I::GiveDeveloperContext => row!(|c| c.context.accepts_developer_context; missing "the provider takes no instructions of the application";
            else SyntheticUserContext if |c, p| p.synthetic_user_context && c.context.accepts_synthetic_user_context, loses ["the rank of an instruction"];
            or "write it into your message"),
        I::GiveUserContext => row!(|c| c.context.accepts_synthetic_user_context; missing "the provider takes no context in the person's name"; or "write it into your message"),
        I::ApproveCommand => row!(|c| c.approvals.supports_command_approval; missing "the provider does not ask before it runs a command";
            else SandboxOnly if |_, p| p.run_without_approvals, loses ["the question before each command"];
            or "allow run-without-approvals, or use another provider"),
        I::ApproveFileRead => row!(|c| c.approvals.supports_file_read_approval; missing "the provider does not ask before it reads a file";
            else SandboxOnly if |_, p| p.run_without_approvals, loses ["the question before each reading"];
            or "allow run-without-approvals, or use another provider"),
        I::ApproveFileChange => row!(|c| c.approvals.supports_file_change_approval; missing "the provider does not ask before it changes a file";
            else SandboxOnly if |_, p| p.run_without_approvals, loses ["the question before each change"];
            or "allow run-without-approvals, or use another provider"),
        I::ApprovePatch => row!(|c| c.approvals.supports_apply_patch_approval; missing "the provider does not ask before it applies a patch";
            else SandboxOnly if |_, p| p.run_without_approvals, loses ["the question before each patch"];
            or "allow run-without-approvals, or use another provider"),
        I::ApproveInSubagents => row!(|c| c.approvals.approvals_can_originate_from_subagents; missing "the provider's subagents do not ask";
            else SandboxOnly if |_, p| p.run_without_approvals, loses ["the questions of subagents"];
            or "allow run-without-approvals, or use another provider"),
        I::EnforceModes => row!(|c| c.runtime.enforcement == Enforcement::Native; missing "the provider does not say that it enforces its modes itself";
            else ClientBoundary if |_, _| true, loses ["a guarantee beyond what the provider asks us"];
            or "use the operating system's sandbox"),
        I::ShowProgress => row!(|c| c.planning.emits_plan_updated; missing "the provider does not tell its progress";
            else ShowWhenWhole if |_, _| true, loses ["progress while the turn is open"]; or "read the messages"),
        I::ShowTodo => row!(|c| c.planning.emits_todo_list; missing "the provider keeps no todo list";
            else AssistantText if |_, _| true, loses ["the panel"]; or "read the messages"),
        I::ProposePlan => row!(|c| c.planning.emits_proposed_plan; missing "the provider proposes no plans to decide about";
            else AssistantText if |_, _| true, loses ["accepting or rejecting by an answer"]; or "read the messages"),
        I::PlanPieces => row!(|c| c.planning.plan_deltas_have_item_ids; missing "pieces of a plan do not name it";
            else Ordinals if |_, _| true, loses []; or "wait"),
        I::AskQuestions => row!(|c| c.planning.supports_structured_questions; missing "the provider asks no questions that have choices";
            else AssistantText if |_, _| true, loses ["the card with choices"]; or "answer by a message"),
        I::ShowSubagents => row!(|c| c.subagents.supports_subagents; missing "the provider has no subagents"; or "nothing is lost"),
        I::OpenSubagent => row!(|c| c.subagents.supports_subagents && c.subagents.exposes_subagent_thread_ids; missing "a subagent's thread has no id";
            else NestedNodes if |c, _| c.subagents.supports_subagents, loses ["a conversation with the subagent"];
            or "nothing is lost"),
        I::FollowSubagents => row!(|c| c.subagents.emits_subagent_lifecycle; missing "the provider does not say when a subagent begins and ends";
            else CloseAtTurnEnd if |c, _| c.subagents.supports_subagents, loses ["the moment of its end"];
            or "nothing is lost"),
        I::WaitForTask => row!(|c| c.subagents.can_wait_for_subagents; missing "one cannot wait for a task of the provider's"; or "watch the tasks"),
        I::StopTask => row!(|c| c.subagents.can_close_subagents; missing "a task of the provider's cannot be ended by itself"; or "interrupt the turn"),
        I::StreamText => row!(|c| c.streaming.streams_assistant_text; missing "the provider tells a message when it is whole";
            else ShowWhenWhole if |_, _| true, loses ["words while they are written"]; or "wait"),
        I::StreamReasoning => row!(|c| c.streaming.streams_reasoning; missing "the provider tells reasoning when it is whole, or never";
            else ShowWhenWhole if |_, _| true, loses ["reasoning while it happens"]; or "wait"),
        I::StreamToolOutput => row!(|c| c.streaming.streams_tool_output; missing "the provider tells what a tool printed when it has ended";
            else ShowWhenWhole if |_, _| true, loses ["output while the tool runs"]; or "wait"),
        I::StreamPlan => row!(|c| c.streaming.streams_plan_text; missing "the provider tells a plan when it is whole";
            else ShowWhenWhole if |_, _| true, loses ["the plan while it is written"]; or "wait"),
        I::EndMessage => row!(|c| c.streaming.emits_message_completed; missing "the provider does not say that a message is complete";
            else Synthesize if |_, _| true, loses []; or "wait"),
        I::StartTurn => row!(|c| c.turns.emits_turn_started; missing "the provider does not say that a turn began";
            else Synthesize if |_, _| true, loses []; or "wait"),
        I::EndTurn => row!(|c| c.turns.emits_turn_completed; missing "the provider does not say that a turn ended";
            else FromProcess if |_, _| true, loses ["the moment of its end"]; or "wait"),
        I::JudgeTurn => row!(|c| c.turns.terminal_status_quality == Strength::Strong; missing "the provider does not say for sure how a turn ended";
            else Infer if |c, _| c.turns.terminal_status_quality == Strength::Weak, loses ["certainty: the status is inferred and marked so"];
            else FromProcess if |_, _| true, loses ["the status: it is taken from the program's end"];
            or "wait"),
        I::StartTool => row!(|c| c.tools.emits_tool_started; missing "the provider does not say that a tool began";
            else Synthesize if |_, _| true, loses []; or "wait"),
        I::EndTool => row!(|c| c.tools.emits_tool_completed; missing "the provider does not say that a tool ended";
            else CloseAtTurnEnd if |_, _| true, loses ["the moment of its end"]; or "wait"),
        I::ShowToolOutput => row!(|c| c.tools.emits_tool_output; missing "the provider does not tell what a tool gave"; or "read the messages"),
        I::IdentifyThread => by_strength!(|c| (c.identity.native_thread_ids, c.threads.exposes_native_thread_id)),
        I::IdentifyTurn => by_strength!(|c| (c.identity.native_turn_ids, c.turns.exposes_native_turn_id)),
        I::IdentifyItem => by_strength!(|c| (c.identity.native_item_ids, c.tools.exposes_tool_item_ids)),
        I::IdentifyRequest => by_strength!(|c| (c.identity.native_request_ids, c.approvals.approvals_have_native_request_ids)),
    }
}

fn can_roll_back(c: &Capabilities) -> bool {
    c.threads.can_rollback_thread && c.checkpointing.provider_can_rollback_conversation
}

fn can_read(c: &Capabilities) -> bool {
    c.threads.can_read_thread_snapshot && c.checkpointing.provider_can_read_conversation_snapshot
}
