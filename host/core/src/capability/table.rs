//! **The table of capabilities: each flag's name, type, weakest value and meaning stand here and nowhere else.**
//!
//! The open name is `group.flag` in kebab case, made mechanically from the field's. A row is: meaning, field, type, weakest value.
//! Most flags are weakest when they are not set; two are weakest when they are.

use super::Flag;
use super::value::{Enforcement, Strength, Typed};
use crate::contract::Capability;

macro_rules! capabilities {
    ($( $(#[doc = $about:literal])+ $group:ident: $Group:ident {
        $( $(#[doc = $doc:literal])+ $field:ident: $type:ty = $weakest:expr; )+
    } )+) => {
        /// All flags, typed. The default is the weakest provider there is.
        #[derive(Debug, Clone, Default, PartialEq)]
        pub struct Capabilities {
            $( $(#[doc = $about])+ pub $group: $Group, )+
            /// Names the host does not know: kept and shown, nothing is decided by them.
            pub unknown: Vec<Capability>,
        }

        $(
            $(#[doc = $about])+
            #[derive(Debug, Clone, PartialEq)]
            pub struct $Group { $( $(#[doc = $doc])+ pub $field: $type, )+ }

            impl Default for $Group {
                fn default() -> Self { Self { $( $field: $weakest, )+ } }
            }
        )+

        /// The table, in order.
        pub static FLAGS: &[Flag] = &[ $( $( Flag {
            group: stringify!($group),
            field: stringify!($field),
            doc: concat!($($doc),+).trim_ascii(),
            value_type: <$type as Typed>::TYPE,
            get: |all| all.$group.$field.write(),
            weakest: || <$type as Typed>::write($weakest),
            put: |all, value| <$type as Typed>::read(value).map(|value| all.$group.$field = value).is_some(),
            narrow: |all, value| <$type as Typed>::read(value)
                .map(|value| all.$group.$field = all.$group.$field.weaker(value, $weakest)).is_some(),
            weaken: |all| all.$group.$field = $weakest,
        }, )+ )+ ];
    };
}

capabilities! {
    /// What one session of the provider can do.
    sessions: Sessions {
        /// One session serves several threads.
        supports_multiple_provider_threads_per_session: bool = false;
        /// The model can be changed while the session lives.
        supports_model_switch_in_session: bool = false;
        /// A conversation can move to or from this provider by a handoff.
        supports_provider_switching_via_handoff: bool = false;
        /// The mode (approvals, sandbox, plan) can be changed while the session lives.
        supports_runtime_mode_switch_in_session: bool = false;
        /// A request that was open is open again after a restart.
        pending_requests_survive_restart: bool = false;
        /// Models, modes and other settings can be listed.
        lists_settings: bool = false;
    }
    /// What can be done with a thread.
    threads: Threads {
        /// A thread exists before its first message.
        can_create_empty_thread: bool = false;
        /// The provider gives back a thread's history.
        can_read_thread_snapshot: bool = false;
        /// The provider can forget the newest turns.
        can_rollback_thread: bool = false;
        /// A thread can be copied at its end.
        can_fork_thread: bool = false;
        /// A thread can be copied at an earlier turn.
        can_fork_from_turn: bool = false;
        /// A thread can be copied at one answer inside a turn.
        can_fork_from_item: bool = false;
        /// A subagent's thread can be copied.
        can_fork_from_subagent_thread: bool = false;
        /// The provider tells its own id of a thread.
        exposes_native_thread_id: bool = false;
    }
    /// How turns begin, end and are steered.
    turns: Turns {
        /// The provider tells its own id of a turn.
        exposes_native_turn_id: bool = false;
        /// The provider says that a turn began.
        emits_turn_started: bool = false;
        /// The provider says that a turn ended.
        emits_turn_completed: bool = false;
        /// An open turn can be stopped.
        supports_interrupt: bool = false;
        /// An open turn takes another message.
        supports_active_steering: bool = false;
        /// A turn can be stopped and begun again with another message.
        supports_steering_by_interrupt_restart: bool = false;
        /// Messages wait in the provider's own queue.
        supports_queued_messages: bool = false;
        /// Steering stops the tools that run.
        active_steering_interrupts_tools: bool = true;
        /// Background work goes on when its turn is stopped.
        interrupt_keeps_background_work: bool = false;
        /// How true the status of a turn's end is.
        terminal_status_quality: Strength = Strength::None;
    }
    /// What arrives while it is being made.
    streaming: Streaming {
        /// The assistant's words.
        streams_assistant_text: bool = false;
        /// Its reasoning.
        streams_reasoning: bool = false;
        /// What tools print.
        streams_tool_output: bool = false;
        /// A proposed plan.
        streams_plan_text: bool = false;
        /// The provider says that a message is complete.
        emits_message_completed: bool = false;
    }
    /// What is told of tools, and which can be added.
    tools: Tools {
        /// Tool calls have ids.
        exposes_tool_item_ids: bool = false;
        /// The provider says that a tool began.
        emits_tool_started: bool = false;
        /// The provider says that a tool ended.
        emits_tool_completed: bool = false;
        /// The provider tells what a tool gave.
        emits_tool_output: bool = false;
        /// MCP servers can be given to the provider.
        supports_mcp_tools: bool = false;
        /// Single MCP servers and tools can be switched off.
        supports_mcp_server_selection: bool = false;
        /// The provider can call tools of the host's.
        supports_dynamic_tool_callbacks: bool = false;
    }
    /// What the provider asks before it does it.
    approvals: Approvals {
        /// Running a command.
        supports_command_approval: bool = false;
        /// Reading a file.
        supports_file_read_approval: bool = false;
        /// Changing a file.
        supports_file_change_approval: bool = false;
        /// Applying a patch.
        supports_apply_patch_approval: bool = false;
        /// Its requests have ids of their own.
        approvals_have_native_request_ids: bool = false;
        /// A request can be answered only by the session that saw it.
        approval_callbacks_are_live_only: bool = true;
        /// Subagents ask, too.
        approvals_can_originate_from_subagents: bool = false;
    }
    /// What the provider tells of its plans, and what it asks.
    planning: Planning {
        /// It tells its progress.
        emits_plan_updated: bool = false;
        /// It keeps a todo list.
        emits_todo_list: bool = false;
        /// It proposes a plan that a person accepts or rejects.
        emits_proposed_plan: bool = false;
        /// It asks questions that have choices.
        supports_structured_questions: bool = false;
        /// Pieces of a plan's text name the plan.
        plan_deltas_have_item_ids: bool = false;
    }
    /// What it tells of subagents, and what can be done with them.
    subagents: Subagents {
        /// It has subagents.
        supports_subagents: bool = false;
        /// A subagent's thread has an id and can be addressed.
        exposes_subagent_thread_ids: bool = false;
        /// It says when a subagent begins, changes and ends.
        emits_subagent_lifecycle: bool = false;
        /// One can wait for a subagent's end.
        can_wait_for_subagents: bool = false;
        /// A subagent can be ended.
        can_close_subagents: bool = false;
        /// A subagent's thread can be copied.
        can_fork_subagent_thread: bool = false;
    }
    /// What context it takes and gives.
    context: Context {
        /// Text added to the system prompt.
        accepts_system_context: bool = false;
        /// Instructions of the application.
        accepts_developer_context: bool = false;
        /// Context in the person's name.
        accepts_synthetic_user_context: bool = false;
        /// It writes summaries of a thread.
        can_generate_summaries: bool = false;
        /// It takes a summary of what happened elsewhere.
        can_consume_handoff_summaries: bool = false;
        /// It takes a summary of only what it missed.
        supports_delta_handoff: bool = false;
        /// It takes a summary of a whole thread.
        supports_full_thread_handoff: bool = false;
        /// The longest handoff it recommends, in characters.
        max_recommended_handoff_chars: Option<u32> = None;
        /// Its context can be shortened.
        supports_compact: bool = false;
        /// Its context can be emptied.
        supports_clear: bool = false;
    }
    /// Saved states, and going back to them.
    checkpointing: Checkpointing {
        /// The host may save the workspace's files.
        app_can_checkpoint_filesystem: bool = false;
        /// Saved states of parts of a run make sense.
        supports_nested_checkpoint_scopes: bool = false;
        /// The provider can forget the newest part of the conversation.
        provider_can_rollback_conversation: bool = false;
        /// A rollback tells what is left.
        provider_rollback_returns_snapshot: bool = false;
        /// The provider gives back the conversation.
        provider_can_read_conversation_snapshot: bool = false;
    }
    /// How far the provider's own ids can be relied on.
    identity: Identity {
        /// Ids of threads.
        native_thread_ids: Strength = Strength::None;
        /// Ids of turns.
        native_turn_ids: Strength = Strength::None;
        /// Ids of items.
        native_item_ids: Strength = Strength::None;
        /// Ids of requests.
        native_request_ids: Strength = Strength::None;
    }
    /// What a message may hold.
    input: Input {
        /// Pictures and files.
        accepts_attachments: bool = false;
        /// Prompts rewritten for an expert role.
        accepts_expert_prompts: bool = false;
    }
    /// How the provider runs.
    runtime: Runtime {
        /// Where its modes and sandboxes are truly enforced.
        enforcement: Enforcement = Enforcement::ClientBoundary;
    }
}
