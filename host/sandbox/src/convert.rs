//! Moves values between the bindings' types and `core`'s. Generated from `wit/` by `cargo xtask codegen`; do not edit.

use crate::bindings::exports::jackfield::provider as exported;
use crate::bindings::jackfield::provider as imported;
use crate::convert_base::Convert;
use jackfield_core::contract as core;

impl Convert<core::Other> for imported::types::Other {
    fn convert(self) -> core::Other {
        let imported::types::Other { name, json } = self;
        core::Other { name: name.convert(), json: json.convert() }
    }
}

impl Convert<imported::types::Other> for core::Other {
    fn convert(self) -> imported::types::Other {
        let core::Other { name, json } = self;
        imported::types::Other { name: name.convert(), json: json.convert() }
    }
}

impl Convert<imported::types::Tick> for core::Tick {
    fn convert(self) -> imported::types::Tick {
        let core::Tick { now_ms, seq } = self;
        imported::types::Tick { now_ms: now_ms.convert(), seq: seq.convert() }
    }
}

impl Convert<core::FaultKind> for imported::types::FaultKind {
    fn convert(self) -> core::FaultKind {
        match self {
            imported::types::FaultKind::Unsupported => core::FaultKind::Unsupported,
            imported::types::FaultKind::Invalid => core::FaultKind::Invalid,
            imported::types::FaultKind::NotFound => core::FaultKind::NotFound,
            imported::types::FaultKind::Conflict => core::FaultKind::Conflict,
            imported::types::FaultKind::Auth => core::FaultKind::Auth,
            imported::types::FaultKind::Denied => core::FaultKind::Denied,
            imported::types::FaultKind::RateLimit => core::FaultKind::RateLimit,
            imported::types::FaultKind::Quota => core::FaultKind::Quota,
            imported::types::FaultKind::ContextWindow => core::FaultKind::ContextWindow,
            imported::types::FaultKind::Overloaded => core::FaultKind::Overloaded,
            imported::types::FaultKind::Network => core::FaultKind::Network,
            imported::types::FaultKind::Timeout => core::FaultKind::Timeout,
            imported::types::FaultKind::Cancelled => core::FaultKind::Cancelled,
            imported::types::FaultKind::Protocol => core::FaultKind::Protocol,
            imported::types::FaultKind::Internal => core::FaultKind::Internal,
            imported::types::FaultKind::Unknown => core::FaultKind::Unknown,
        }
    }
}

impl Convert<imported::types::FaultKind> for core::FaultKind {
    fn convert(self) -> imported::types::FaultKind {
        match self {
            core::FaultKind::Unsupported => imported::types::FaultKind::Unsupported,
            core::FaultKind::Invalid => imported::types::FaultKind::Invalid,
            core::FaultKind::NotFound => imported::types::FaultKind::NotFound,
            core::FaultKind::Conflict => imported::types::FaultKind::Conflict,
            core::FaultKind::Auth => imported::types::FaultKind::Auth,
            core::FaultKind::Denied => imported::types::FaultKind::Denied,
            core::FaultKind::RateLimit => imported::types::FaultKind::RateLimit,
            core::FaultKind::Quota => imported::types::FaultKind::Quota,
            core::FaultKind::ContextWindow => imported::types::FaultKind::ContextWindow,
            core::FaultKind::Overloaded => imported::types::FaultKind::Overloaded,
            core::FaultKind::Network => imported::types::FaultKind::Network,
            core::FaultKind::Timeout => imported::types::FaultKind::Timeout,
            core::FaultKind::Cancelled => imported::types::FaultKind::Cancelled,
            core::FaultKind::Protocol => imported::types::FaultKind::Protocol,
            core::FaultKind::Internal => imported::types::FaultKind::Internal,
            core::FaultKind::Unknown => imported::types::FaultKind::Unknown,
        }
    }
}

impl Convert<core::Fault> for imported::types::Fault {
    fn convert(self) -> core::Fault {
        let imported::types::Fault { kind, message, code, retryable, retry_after_ms, extra } = self;
        core::Fault {
            kind: kind.convert(),
            message: message.convert(),
            code: code.convert(),
            retryable: retryable.convert(),
            retry_after_ms: retry_after_ms.convert(),
            extra: extra.convert(),
        }
    }
}

impl Convert<imported::types::Fault> for core::Fault {
    fn convert(self) -> imported::types::Fault {
        let core::Fault { kind, message, code, retryable, retry_after_ms, extra } = self;
        imported::types::Fault {
            kind: kind.convert(),
            message: message.convert(),
            code: code.convert(),
            retryable: retryable.convert(),
            retry_after_ms: retry_after_ms.convert(),
            extra: extra.convert(),
        }
    }
}

impl Convert<core::Status> for imported::types::Status {
    fn convert(self) -> core::Status {
        match self {
            imported::types::Status::Pending => core::Status::Pending,
            imported::types::Status::Running => core::Status::Running,
            imported::types::Status::Waiting => core::Status::Waiting,
            imported::types::Status::Completed => core::Status::Completed,
            imported::types::Status::Failed => core::Status::Failed,
            imported::types::Status::Declined => core::Status::Declined,
            imported::types::Status::Interrupted => core::Status::Interrupted,
            imported::types::Status::Cancelled => core::Status::Cancelled,
            imported::types::Status::Retracted => core::Status::Retracted,
            imported::types::Status::Unknown => core::Status::Unknown,
        }
    }
}

impl Convert<core::Media> for imported::types::Media {
    fn convert(self) -> core::Media {
        let imported::types::Media { mime, name, uri, base64 } = self;
        core::Media { mime: mime.convert(), name: name.convert(), uri: uri.convert(), base64: base64.convert() }
    }
}

impl Convert<imported::types::Media> for core::Media {
    fn convert(self) -> imported::types::Media {
        let core::Media { mime, name, uri, base64 } = self;
        imported::types::Media {
            mime: mime.convert(),
            name: name.convert(),
            uri: uri.convert(),
            base64: base64.convert(),
        }
    }
}

impl Convert<core::FileDiff> for imported::types::FileDiff {
    fn convert(self) -> core::FileDiff {
        let imported::types::FileDiff { path, moved_from, before, after, patch } = self;
        core::FileDiff {
            path: path.convert(),
            moved_from: moved_from.convert(),
            before: before.convert(),
            after: after.convert(),
            patch: patch.convert(),
        }
    }
}

impl Convert<imported::types::FileDiff> for core::FileDiff {
    fn convert(self) -> imported::types::FileDiff {
        let core::FileDiff { path, moved_from, before, after, patch } = self;
        imported::types::FileDiff {
            path: path.convert(),
            moved_from: moved_from.convert(),
            before: before.convert(),
            after: after.convert(),
            patch: patch.convert(),
        }
    }
}

impl Convert<core::Content> for imported::types::Content {
    fn convert(self) -> core::Content {
        match self {
            imported::types::Content::Text(x) => core::Content::Text(x.convert()),
            imported::types::Content::Media(x) => core::Content::Media(x.convert()),
            imported::types::Content::Diff(x) => core::Content::Diff(x.convert()),
            imported::types::Content::Other(x) => core::Content::Other(x.convert()),
        }
    }
}

impl Convert<imported::types::Content> for core::Content {
    fn convert(self) -> imported::types::Content {
        match self {
            core::Content::Text(x) => imported::types::Content::Text(x.convert()),
            core::Content::Media(x) => imported::types::Content::Media(x.convert()),
            core::Content::Diff(x) => imported::types::Content::Diff(x.convert()),
            core::Content::Other(x) => imported::types::Content::Other(x.convert()),
        }
    }
}

impl Convert<core::ThreadState> for imported::types::ThreadState {
    fn convert(self) -> core::ThreadState {
        match self {
            imported::types::ThreadState::Stored => core::ThreadState::Stored,
            imported::types::ThreadState::Idle => core::ThreadState::Idle,
            imported::types::ThreadState::Active => core::ThreadState::Active,
            imported::types::ThreadState::Closed => core::ThreadState::Closed,
            imported::types::ThreadState::Broken => core::ThreadState::Broken,
            imported::types::ThreadState::Unknown => core::ThreadState::Unknown,
        }
    }
}

impl Convert<core::Thread> for imported::types::Thread {
    fn convert(self) -> core::Thread {
        let imported::types::Thread { id, cursor, parent, replaces, state, title, preview, folder, modified_ms, extra } =
            self;
        core::Thread {
            id: id.convert(),
            cursor: cursor.convert(),
            parent: parent.convert(),
            replaces: replaces.convert(),
            state: state.convert(),
            title: title.convert(),
            preview: preview.convert(),
            folder: folder.convert(),
            modified_ms: modified_ms.convert(),
            extra: extra.convert(),
        }
    }
}

impl Convert<core::Choice> for imported::types::Choice {
    fn convert(self) -> core::Choice {
        let imported::types::Choice { value, label, description, extra } = self;
        core::Choice {
            value: value.convert(),
            label: label.convert(),
            description: description.convert(),
            extra: extra.convert(),
        }
    }
}

impl Convert<core::Setting> for imported::types::Setting {
    fn convert(self) -> core::Setting {
        let imported::types::Setting { name, label, value, choices, extra } = self;
        core::Setting {
            name: name.convert(),
            label: label.convert(),
            value: value.convert(),
            choices: choices.convert(),
            extra: extra.convert(),
        }
    }
}

impl Convert<core::Level> for imported::types::Level {
    fn convert(self) -> core::Level {
        match self {
            imported::types::Level::Debug => core::Level::Debug,
            imported::types::Level::Info => core::Level::Info,
            imported::types::Level::Warning => core::Level::Warning,
            imported::types::Level::Error => core::Level::Error,
        }
    }
}

impl Convert<core::Note> for imported::types::Note {
    fn convert(self) -> core::Note {
        let imported::types::Note { level, code, text, fault } = self;
        core::Note { level: level.convert(), code: code.convert(), text: text.convert(), fault: fault.convert() }
    }
}

impl Convert<core::CapabilityValue> for imported::capabilities::CapabilityValue {
    fn convert(self) -> core::CapabilityValue {
        match self {
            imported::capabilities::CapabilityValue::Flag(x) => core::CapabilityValue::Flag(x.convert()),
            imported::capabilities::CapabilityValue::Count(x) => core::CapabilityValue::Count(x.convert()),
            imported::capabilities::CapabilityValue::Word(x) => core::CapabilityValue::Word(x.convert()),
            imported::capabilities::CapabilityValue::Other(x) => core::CapabilityValue::Other(x.convert()),
        }
    }
}

impl Convert<core::Capability> for imported::capabilities::Capability {
    fn convert(self) -> core::Capability {
        let imported::capabilities::Capability { name, value } = self;
        core::Capability { name: name.convert(), value: value.convert() }
    }
}

impl Convert<core::CapabilitySet> for imported::capabilities::CapabilitySet {
    fn convert(self) -> core::CapabilitySet {
        let imported::capabilities::CapabilitySet { revision, provider_version, capabilities } = self;
        core::CapabilitySet {
            revision: revision.convert(),
            provider_version: provider_version.convert(),
            capabilities: capabilities.convert(),
        }
    }
}

impl Convert<core::Descriptor> for imported::capabilities::Descriptor {
    fn convert(self) -> core::Descriptor {
        let imported::capabilities::Descriptor { provider, label, declared, settings, extra } = self;
        core::Descriptor {
            provider: provider.convert(),
            label: label.convert(),
            declared: declared.convert(),
            settings: settings.convert(),
            extra: extra.convert(),
        }
    }
}

impl Convert<core::Spawn> for imported::effects::Spawn {
    fn convert(self) -> core::Spawn {
        let imported::effects::Spawn { profile, holes } = self;
        core::Spawn { profile: profile.convert(), holes: holes.convert() }
    }
}

impl Convert<core::SignalKind> for imported::effects::SignalKind {
    fn convert(self) -> core::SignalKind {
        match self {
            imported::effects::SignalKind::Interrupt => core::SignalKind::Interrupt,
            imported::effects::SignalKind::Terminate => core::SignalKind::Terminate,
            imported::effects::SignalKind::Kill => core::SignalKind::Kill,
        }
    }
}

impl Convert<core::SignalSend> for imported::effects::SignalSend {
    fn convert(self) -> core::SignalSend {
        let imported::effects::SignalSend { channel, kind } = self;
        core::SignalSend { channel: channel.convert(), kind: kind.convert() }
    }
}

impl Convert<core::FilePath> for imported::effects::FilePath {
    fn convert(self) -> core::FilePath {
        let imported::effects::FilePath { root, path } = self;
        core::FilePath { root: root.convert(), path: path.convert() }
    }
}

impl Convert<core::ReadFile> for imported::effects::ReadFile {
    fn convert(self) -> core::ReadFile {
        let imported::effects::ReadFile { file, offset, length } = self;
        core::ReadFile { file: file.convert(), offset: offset.convert(), length: length.convert() }
    }
}

impl Convert<core::SqliteQuery> for imported::effects::SqliteQuery {
    fn convert(self) -> core::SqliteQuery {
        let imported::effects::SqliteQuery { file, sql, params } = self;
        core::SqliteQuery { file: file.convert(), sql: sql.convert(), params: params.convert() }
    }
}

impl Convert<imported::effects::FilePart> for core::FilePart {
    fn convert(self) -> imported::effects::FilePart {
        let core::FilePart { data, size } = self;
        imported::effects::FilePart { data: data.convert(), size: size.convert() }
    }
}

impl Convert<imported::effects::Entry> for core::Entry {
    fn convert(self) -> imported::effects::Entry {
        let core::Entry { name, folder, size, modified_ms } = self;
        imported::effects::Entry {
            name: name.convert(),
            folder: folder.convert(),
            size: size.convert(),
            modified_ms: modified_ms.convert(),
        }
    }
}

impl Convert<core::FrameData> for imported::effects::FrameData {
    fn convert(self) -> core::FrameData {
        match self {
            imported::effects::FrameData::Text(x) => core::FrameData::Text(x.convert()),
            imported::effects::FrameData::Named(x) => core::FrameData::Named(x.convert()),
            imported::effects::FrameData::Bytes(x) => core::FrameData::Bytes(x.convert()),
            imported::effects::FrameData::Other(x) => core::FrameData::Other(x.convert()),
        }
    }
}

impl Convert<imported::effects::FrameData> for core::FrameData {
    fn convert(self) -> imported::effects::FrameData {
        match self {
            core::FrameData::Text(x) => imported::effects::FrameData::Text(x.convert()),
            core::FrameData::Named(x) => imported::effects::FrameData::Named(x.convert()),
            core::FrameData::Bytes(x) => imported::effects::FrameData::Bytes(x.convert()),
            core::FrameData::Other(x) => imported::effects::FrameData::Other(x.convert()),
        }
    }
}

impl Convert<core::Write> for imported::effects::Write {
    fn convert(self) -> core::Write {
        let imported::effects::Write { channel, data } = self;
        core::Write { channel: channel.convert(), data: data.convert() }
    }
}

impl Convert<core::HttpRequest> for imported::effects::HttpRequest {
    fn convert(self) -> core::HttpRequest {
        let imported::effects::HttpRequest { origin, method, path, headers, body, streaming } = self;
        core::HttpRequest {
            origin: origin.convert(),
            method: method.convert(),
            path: path.convert(),
            headers: headers.convert(),
            body: body.convert(),
            streaming: streaming.convert(),
        }
    }
}

impl Convert<core::EffectBody> for imported::effects::EffectBody {
    fn convert(self) -> core::EffectBody {
        match self {
            imported::effects::EffectBody::Spawn(x) => core::EffectBody::Spawn(x.convert()),
            imported::effects::EffectBody::Write(x) => core::EffectBody::Write(x.convert()),
            imported::effects::EffectBody::CloseStdin(x) => core::EffectBody::CloseStdin(x.convert()),
            imported::effects::EffectBody::Signal(x) => core::EffectBody::Signal(x.convert()),
            imported::effects::EffectBody::Http(x) => core::EffectBody::Http(x.convert()),
            imported::effects::EffectBody::Timer(x) => core::EffectBody::Timer(x.convert()),
            imported::effects::EffectBody::ReadFile(x) => core::EffectBody::ReadFile(x.convert()),
            imported::effects::EffectBody::ListFolder(x) => core::EffectBody::ListFolder(x.convert()),
            imported::effects::EffectBody::QuerySqlite(x) => core::EffectBody::QuerySqlite(x.convert()),
            imported::effects::EffectBody::Cancel(x) => core::EffectBody::Cancel(x.convert()),
            imported::effects::EffectBody::Other(x) => core::EffectBody::Other(x.convert()),
        }
    }
}

impl Convert<core::Effect> for imported::effects::Effect {
    fn convert(self) -> core::Effect {
        let imported::effects::Effect { id, body } = self;
        core::Effect { id: id.convert(), body: body.convert() }
    }
}

impl Convert<imported::effects::HttpResponse> for core::HttpResponse {
    fn convert(self) -> imported::effects::HttpResponse {
        let core::HttpResponse { status, headers, body } = self;
        imported::effects::HttpResponse { status: status.convert(), headers: headers.convert(), body: body.convert() }
    }
}

impl Convert<imported::effects::EffectValue> for core::EffectValue {
    fn convert(self) -> imported::effects::EffectValue {
        match self {
            core::EffectValue::Opened => imported::effects::EffectValue::Opened,
            core::EffectValue::Written => imported::effects::EffectValue::Written,
            core::EffectValue::Response(x) => imported::effects::EffectValue::Response(x.convert()),
            core::EffectValue::Bytes(x) => imported::effects::EffectValue::Bytes(x.convert()),
            core::EffectValue::Entries(x) => imported::effects::EffectValue::Entries(x.convert()),
            core::EffectValue::Rows(x) => imported::effects::EffectValue::Rows(x.convert()),
            core::EffectValue::Other(x) => imported::effects::EffectValue::Other(x.convert()),
        }
    }
}

impl Convert<imported::effects::EffectResult> for core::EffectResult {
    fn convert(self) -> imported::effects::EffectResult {
        let core::EffectResult { id, outcome } = self;
        imported::effects::EffectResult { id: id.convert(), outcome: outcome.convert() }
    }
}

impl Convert<imported::effects::Pipe> for core::Pipe {
    fn convert(self) -> imported::effects::Pipe {
        match self {
            core::Pipe::Main => imported::effects::Pipe::Main,
            core::Pipe::Error => imported::effects::Pipe::Error,
        }
    }
}

impl Convert<imported::effects::Frame> for core::Frame {
    fn convert(self) -> imported::effects::Frame {
        let core::Frame { channel, pipe, data } = self;
        imported::effects::Frame { channel: channel.convert(), pipe: pipe.convert(), data: data.convert() }
    }
}

impl Convert<imported::effects::ChannelExit> for core::ChannelExit {
    fn convert(self) -> imported::effects::ChannelExit {
        let core::ChannelExit { channel, code, signal, stderr_tail, fault } = self;
        imported::effects::ChannelExit {
            channel: channel.convert(),
            code: code.convert(),
            signal: signal.convert(),
            stderr_tail: stderr_tail.convert(),
            fault: fault.convert(),
        }
    }
}

impl Convert<core::UserMessage> for imported::items::UserMessage {
    fn convert(self) -> core::UserMessage {
        let imported::items::UserMessage { op, typed, content } = self;
        core::UserMessage { op: op.convert(), typed: typed.convert(), content: content.convert() }
    }
}

impl Convert<core::ToolKind> for imported::items::ToolKind {
    fn convert(self) -> core::ToolKind {
        match self {
            imported::items::ToolKind::Read => core::ToolKind::Read,
            imported::items::ToolKind::Edit => core::ToolKind::Edit,
            imported::items::ToolKind::Delete => core::ToolKind::Delete,
            imported::items::ToolKind::Move => core::ToolKind::Move,
            imported::items::ToolKind::Search => core::ToolKind::Search,
            imported::items::ToolKind::Execute => core::ToolKind::Execute,
            imported::items::ToolKind::Fetch => core::ToolKind::Fetch,
            imported::items::ToolKind::Think => core::ToolKind::Think,
            imported::items::ToolKind::Delegate => core::ToolKind::Delegate,
            imported::items::ToolKind::Ask => core::ToolKind::Ask,
            imported::items::ToolKind::SwitchMode => core::ToolKind::SwitchMode,
            imported::items::ToolKind::Hook => core::ToolKind::Hook,
            imported::items::ToolKind::Unknown => core::ToolKind::Unknown,
        }
    }
}

impl Convert<core::Location> for imported::items::Location {
    fn convert(self) -> core::Location {
        let imported::items::Location { path, line } = self;
        core::Location { path: path.convert(), line: line.convert() }
    }
}

impl Convert<core::Tool> for imported::items::Tool {
    fn convert(self) -> core::Tool {
        let imported::items::Tool { kind, name, server, title, input, locations, content, exit_code, extra } = self;
        core::Tool {
            kind: kind.convert(),
            name: name.convert(),
            server: server.convert(),
            title: title.convert(),
            input: input.convert(),
            locations: locations.convert(),
            content: content.convert(),
            exit_code: exit_code.convert(),
            extra: extra.convert(),
        }
    }
}

impl Convert<core::ItemBody> for imported::items::ItemBody {
    fn convert(self) -> core::ItemBody {
        match self {
            imported::items::ItemBody::User(x) => core::ItemBody::User(x.convert()),
            imported::items::ItemBody::Assistant(x) => core::ItemBody::Assistant(x.convert()),
            imported::items::ItemBody::Reasoning(x) => core::ItemBody::Reasoning(x.convert()),
            imported::items::ItemBody::ProposedPlan(x) => core::ItemBody::ProposedPlan(x.convert()),
            imported::items::ItemBody::Tool(x) => core::ItemBody::Tool(x.convert()),
            imported::items::ItemBody::Other(x) => core::ItemBody::Other(x.convert()),
        }
    }
}

impl Convert<core::Item> for imported::items::Item {
    fn convert(self) -> core::Item {
        let imported::items::Item { id, status, body, mark, extra } = self;
        core::Item {
            id: id.convert(),
            status: status.convert(),
            body: body.convert(),
            mark: mark.convert(),
            extra: extra.convert(),
        }
    }
}

impl Convert<core::TextKind> for imported::items::TextKind {
    fn convert(self) -> core::TextKind {
        match self {
            imported::items::TextKind::Assistant => core::TextKind::Assistant,
            imported::items::TextKind::Reasoning => core::TextKind::Reasoning,
            imported::items::TextKind::ReasoningSummary => core::TextKind::ReasoningSummary,
            imported::items::TextKind::Plan => core::TextKind::Plan,
            imported::items::TextKind::ToolInput => core::TextKind::ToolInput,
            imported::items::TextKind::ToolOutput => core::TextKind::ToolOutput,
        }
    }
}

impl Convert<core::Delta> for imported::items::Delta {
    fn convert(self) -> core::Delta {
        let imported::items::Delta { id, kind, whole, text } = self;
        core::Delta { id: id.convert(), kind: kind.convert(), whole: whole.convert(), text: text.convert() }
    }
}

impl Convert<core::Verdict> for imported::requests::Verdict {
    fn convert(self) -> core::Verdict {
        match self {
            imported::requests::Verdict::AllowOnce => core::Verdict::AllowOnce,
            imported::requests::Verdict::AllowSession => core::Verdict::AllowSession,
            imported::requests::Verdict::AllowAlways => core::Verdict::AllowAlways,
            imported::requests::Verdict::RejectOnce => core::Verdict::RejectOnce,
            imported::requests::Verdict::RejectAlways => core::Verdict::RejectAlways,
            imported::requests::Verdict::Abort => core::Verdict::Abort,
            imported::requests::Verdict::Neutral => core::Verdict::Neutral,
            imported::requests::Verdict::Unknown => core::Verdict::Unknown,
        }
    }
}

impl Convert<core::Offer> for imported::requests::Offer {
    fn convert(self) -> core::Offer {
        let imported::requests::Offer { id, label, verdict } = self;
        core::Offer { id: id.convert(), label: label.convert(), verdict: verdict.convert() }
    }
}

impl Convert<core::Question> for imported::requests::Question {
    fn convert(self) -> core::Question {
        let imported::requests::Question { id, header, text, choices, multiple, free_text, secret, schema } = self;
        core::Question {
            id: id.convert(),
            header: header.convert(),
            text: text.convert(),
            choices: choices.convert(),
            multiple: multiple.convert(),
            free_text: free_text.convert(),
            secret: secret.convert(),
            schema: schema.convert(),
        }
    }
}

impl Convert<core::Login> for imported::requests::Login {
    fn convert(self) -> core::Login {
        let imported::requests::Login { url, code, text } = self;
        core::Login { url: url.convert(), code: code.convert(), text: text.convert() }
    }
}

impl Convert<core::Subject> for imported::requests::Subject {
    fn convert(self) -> core::Subject {
        match self {
            imported::requests::Subject::Approval(x) => core::Subject::Approval(x.convert()),
            imported::requests::Subject::Plan(x) => core::Subject::Plan(x.convert()),
            imported::requests::Subject::Questions => core::Subject::Questions,
            imported::requests::Subject::Login(x) => core::Subject::Login(x.convert()),
            imported::requests::Subject::HostTool(x) => core::Subject::HostTool(x.convert()),
            imported::requests::Subject::Other(x) => core::Subject::Other(x.convert()),
        }
    }
}

impl Convert<core::Request> for imported::requests::Request {
    fn convert(self) -> core::Request {
        let imported::requests::Request { id, item, subject, reason, options, questions, raw, expires_ms, extra } =
            self;
        core::Request {
            id: id.convert(),
            item: item.convert(),
            subject: subject.convert(),
            reason: reason.convert(),
            options: options.convert(),
            questions: questions.convert(),
            raw: raw.convert(),
            expires_ms: expires_ms.convert(),
            extra: extra.convert(),
        }
    }
}

impl Convert<core::RequestEnd> for imported::requests::RequestEnd {
    fn convert(self) -> core::RequestEnd {
        let imported::requests::RequestEnd { id, status } = self;
        core::RequestEnd { id: id.convert(), status: status.convert() }
    }
}

impl Convert<imported::requests::Chosen> for core::Chosen {
    fn convert(self) -> imported::requests::Chosen {
        let core::Chosen { option_id, note, input } = self;
        imported::requests::Chosen { option_id: option_id.convert(), note: note.convert(), input: input.convert() }
    }
}

impl Convert<imported::requests::Filled> for core::Filled {
    fn convert(self) -> imported::requests::Filled {
        let core::Filled { question, values } = self;
        imported::requests::Filled { question: question.convert(), values: values.convert() }
    }
}

impl Convert<imported::requests::ToolOutput> for core::ToolOutput {
    fn convert(self) -> imported::requests::ToolOutput {
        let core::ToolOutput { content, failed } = self;
        imported::requests::ToolOutput { content: content.convert(), failed: failed.convert() }
    }
}

impl Convert<imported::requests::Reply> for core::Reply {
    fn convert(self) -> imported::requests::Reply {
        match self {
            core::Reply::Chosen(x) => imported::requests::Reply::Chosen(x.convert()),
            core::Reply::Filled(x) => imported::requests::Reply::Filled(x.convert()),
            core::Reply::Output(x) => imported::requests::Reply::Output(x.convert()),
            core::Reply::Dismissed => imported::requests::Reply::Dismissed,
            core::Reply::Other(x) => imported::requests::Reply::Other(x.convert()),
        }
    }
}

impl Convert<imported::requests::Answer> for core::Answer {
    fn convert(self) -> imported::requests::Answer {
        let core::Answer { request, reply } = self;
        imported::requests::Answer { request: request.convert(), reply: reply.convert() }
    }
}

impl Convert<core::Scope> for imported::events::Scope {
    fn convert(self) -> core::Scope {
        let imported::events::Scope { thread, turn, parent, replayed } = self;
        core::Scope {
            thread: thread.convert(),
            turn: turn.convert(),
            parent: parent.convert(),
            replayed: replayed.convert(),
        }
    }
}

impl Convert<core::TurnStart> for imported::events::TurnStart {
    fn convert(self) -> core::TurnStart {
        let imported::events::TurnStart { op, reason } = self;
        core::TurnStart { op: op.convert(), reason: reason.convert() }
    }
}

impl Convert<core::TurnEnd> for imported::events::TurnEnd {
    fn convert(self) -> core::TurnEnd {
        let imported::events::TurnEnd { op, status, reason, fault, mark, background, extra } = self;
        core::TurnEnd {
            op: op.convert(),
            status: status.convert(),
            reason: reason.convert(),
            fault: fault.convert(),
            mark: mark.convert(),
            background: background.convert(),
            extra: extra.convert(),
        }
    }
}

impl Convert<core::PlanStep> for imported::events::PlanStep {
    fn convert(self) -> core::PlanStep {
        let imported::events::PlanStep { text, status, priority } = self;
        core::PlanStep { text: text.convert(), status: status.convert(), priority: priority.convert() }
    }
}

impl Convert<core::Plan> for imported::events::Plan {
    fn convert(self) -> core::Plan {
        let imported::events::Plan { id, explanation, steps } = self;
        core::Plan { id: id.convert(), explanation: explanation.convert(), steps: steps.convert() }
    }
}

impl Convert<core::TaskKind> for imported::events::TaskKind {
    fn convert(self) -> core::TaskKind {
        match self {
            imported::events::TaskKind::Subagent => core::TaskKind::Subagent,
            imported::events::TaskKind::Shell => core::TaskKind::Shell,
            imported::events::TaskKind::Unknown => core::TaskKind::Unknown,
        }
    }
}

impl Convert<core::Task> for imported::events::Task {
    fn convert(self) -> core::Task {
        let imported::events::Task { id, kind, status, title, item, thread, background, summary, extra } = self;
        core::Task {
            id: id.convert(),
            kind: kind.convert(),
            status: status.convert(),
            title: title.convert(),
            item: item.convert(),
            thread: thread.convert(),
            background: background.convert(),
            summary: summary.convert(),
            extra: extra.convert(),
        }
    }
}

impl Convert<core::UsageSpan> for imported::events::UsageSpan {
    fn convert(self) -> core::UsageSpan {
        match self {
            imported::events::UsageSpan::Call => core::UsageSpan::Call,
            imported::events::UsageSpan::Turn => core::UsageSpan::Turn,
            imported::events::UsageSpan::Thread => core::UsageSpan::Thread,
            imported::events::UsageSpan::Session => core::UsageSpan::Session,
        }
    }
}

impl Convert<core::Usage> for imported::events::Usage {
    fn convert(self) -> core::Usage {
        let imported::events::Usage { span, counts } = self;
        core::Usage { span: span.convert(), counts: counts.convert() }
    }
}

impl Convert<core::ContextEffect> for imported::events::ContextEffect {
    fn convert(self) -> core::ContextEffect {
        match self {
            imported::events::ContextEffect::Compacting => core::ContextEffect::Compacting,
            imported::events::ContextEffect::Compacted => core::ContextEffect::Compacted,
            imported::events::ContextEffect::CompactFailed => core::ContextEffect::CompactFailed,
            imported::events::ContextEffect::Cleared => core::ContextEffect::Cleared,
            imported::events::ContextEffect::Rewound => core::ContextEffect::Rewound,
            imported::events::ContextEffect::Lost => core::ContextEffect::Lost,
        }
    }
}

impl Convert<core::ContextChange> for imported::events::ContextChange {
    fn convert(self) -> core::ContextChange {
        let imported::events::ContextChange { what, turn, tokens_before, tokens_after, automatic, summary } = self;
        core::ContextChange {
            what: what.convert(),
            turn: turn.convert(),
            tokens_before: tokens_before.convert(),
            tokens_after: tokens_after.convert(),
            automatic: automatic.convert(),
            summary: summary.convert(),
        }
    }
}

impl Convert<core::SlashCommand> for imported::events::SlashCommand {
    fn convert(self) -> core::SlashCommand {
        let imported::events::SlashCommand { name, description, hint, extra } = self;
        core::SlashCommand {
            name: name.convert(),
            description: description.convert(),
            hint: hint.convert(),
            extra: extra.convert(),
        }
    }
}

impl Convert<core::McpState> for imported::events::McpState {
    fn convert(self) -> core::McpState {
        let imported::events::McpState { name, status, tools, message } = self;
        core::McpState {
            name: name.convert(),
            status: status.convert(),
            tools: tools.convert(),
            message: message.convert(),
        }
    }
}

impl Convert<core::RateLimit> for imported::events::RateLimit {
    fn convert(self) -> core::RateLimit {
        let imported::events::RateLimit { name, used_percent, resets_at_ms, reached } = self;
        core::RateLimit {
            name: name.convert(),
            used_percent: used_percent.convert(),
            resets_at_ms: resets_at_ms.convert(),
            reached: reached.convert(),
        }
    }
}

impl Convert<core::Account> for imported::events::Account {
    fn convert(self) -> core::Account {
        let imported::events::Account { logged_in, label, plan, limits, extra } = self;
        core::Account {
            logged_in: logged_in.convert(),
            label: label.convert(),
            plan: plan.convert(),
            limits: limits.convert(),
            extra: extra.convert(),
        }
    }
}

impl Convert<core::Retry> for imported::events::Retry {
    fn convert(self) -> core::Retry {
        let imported::events::Retry { attempt, max_attempts, delay_ms, fault } = self;
        core::Retry {
            attempt: attempt.convert(),
            max_attempts: max_attempts.convert(),
            delay_ms: delay_ms.convert(),
            fault: fault.convert(),
        }
    }
}

impl Convert<core::EventBody> for imported::events::EventBody {
    fn convert(self) -> core::EventBody {
        match self {
            imported::events::EventBody::Delta(x) => core::EventBody::Delta(x.convert()),
            imported::events::EventBody::Items(x) => core::EventBody::Items(x.convert()),
            imported::events::EventBody::TurnStarted(x) => core::EventBody::TurnStarted(x.convert()),
            imported::events::EventBody::TurnEnded(x) => core::EventBody::TurnEnded(x.convert()),
            imported::events::EventBody::Threads(x) => core::EventBody::Threads(x.convert()),
            imported::events::EventBody::Plan(x) => core::EventBody::Plan(x.convert()),
            imported::events::EventBody::Tasks(x) => core::EventBody::Tasks(x.convert()),
            imported::events::EventBody::Roster(x) => core::EventBody::Roster(x.convert()),
            imported::events::EventBody::RequestsOpened(x) => core::EventBody::RequestsOpened(x.convert()),
            imported::events::EventBody::RequestsClosed(x) => core::EventBody::RequestsClosed(x.convert()),
            imported::events::EventBody::Usage(x) => core::EventBody::Usage(x.convert()),
            imported::events::EventBody::Context(x) => core::EventBody::Context(x.convert()),
            imported::events::EventBody::Changes(x) => core::EventBody::Changes(x.convert()),
            imported::events::EventBody::Settings(x) => core::EventBody::Settings(x.convert()),
            imported::events::EventBody::SlashCommands(x) => core::EventBody::SlashCommands(x.convert()),
            imported::events::EventBody::McpServers(x) => core::EventBody::McpServers(x.convert()),
            imported::events::EventBody::Account(x) => core::EventBody::Account(x.convert()),
            imported::events::EventBody::Queue(x) => core::EventBody::Queue(x.convert()),
            imported::events::EventBody::Retrying(x) => core::EventBody::Retrying(x.convert()),
            imported::events::EventBody::Note(x) => core::EventBody::Note(x.convert()),
            imported::events::EventBody::Other(x) => core::EventBody::Other(x.convert()),
        }
    }
}

impl Convert<core::Event> for imported::events::Event {
    fn convert(self) -> core::Event {
        let imported::events::Event { scope, body } = self;
        core::Event { scope: scope.convert(), body: body.convert() }
    }
}

impl Convert<imported::commands::Role> for core::Role {
    fn convert(self) -> imported::commands::Role {
        match self {
            core::Role::Live => imported::commands::Role::Live,
            core::Role::Query => imported::commands::Role::Query,
        }
    }
}

impl Convert<imported::commands::StartSession> for core::StartSession {
    fn convert(self) -> imported::commands::StartSession {
        let core::StartSession { role, folder, options, epoch, seed, selection, extra } = self;
        imported::commands::StartSession {
            role: role.convert(),
            folder: folder.convert(),
            options: options.convert(),
            epoch: epoch.convert(),
            seed: seed.convert(),
            selection: selection.convert(),
            extra: extra.convert(),
        }
    }
}

impl Convert<imported::commands::Interrupt> for core::Interrupt {
    fn convert(self) -> imported::commands::Interrupt {
        let core::Interrupt { turn, keep_background } = self;
        imported::commands::Interrupt { turn: turn.convert(), keep_background: keep_background.convert() }
    }
}

impl Convert<imported::commands::ContextRole> for core::ContextRole {
    fn convert(self) -> imported::commands::ContextRole {
        match self {
            core::ContextRole::System => imported::commands::ContextRole::System,
            core::ContextRole::Developer => imported::commands::ContextRole::Developer,
            core::ContextRole::User => imported::commands::ContextRole::User,
            core::ContextRole::Handoff => imported::commands::ContextRole::Handoff,
        }
    }
}

impl Convert<imported::commands::ContextPart> for core::ContextPart {
    fn convert(self) -> imported::commands::ContextPart {
        let core::ContextPart { role, text } = self;
        imported::commands::ContextPart { role: role.convert(), text: text.convert() }
    }
}

impl Convert<imported::commands::OpenThread> for core::OpenThread {
    fn convert(self) -> imported::commands::OpenThread {
        let core::OpenThread { cursor, selection, context, folder, extra } = self;
        imported::commands::OpenThread {
            cursor: cursor.convert(),
            selection: selection.convert(),
            context: context.convert(),
            folder: folder.convert(),
            extra: extra.convert(),
        }
    }
}

impl Convert<imported::commands::Message> for core::Message {
    fn convert(self) -> imported::commands::Message {
        let core::Message { content, turn, context, selection, uuid, enqueue, extra } = self;
        imported::commands::Message {
            content: content.convert(),
            turn: turn.convert(),
            context: context.convert(),
            selection: selection.convert(),
            uuid: uuid.convert(),
            enqueue: enqueue.convert(),
            extra: extra.convert(),
        }
    }
}

impl Convert<imported::commands::ReadThread> for core::ReadThread {
    fn convert(self) -> imported::commands::ReadThread {
        let core::ReadThread { cursor, page, limit } = self;
        imported::commands::ReadThread { cursor: cursor.convert(), page: page.convert(), limit: limit.convert() }
    }
}

impl Convert<imported::commands::Point> for core::Point {
    fn convert(self) -> imported::commands::Point {
        let core::Point { turn, item, mark, turns_after } = self;
        imported::commands::Point {
            turn: turn.convert(),
            item: item.convert(),
            mark: mark.convert(),
            turns_after: turns_after.convert(),
        }
    }
}

impl Convert<imported::commands::Summarize> for core::Summarize {
    fn convert(self) -> imported::commands::Summarize {
        let core::Summarize { instructions, max_chars } = self;
        imported::commands::Summarize { instructions: instructions.convert(), max_chars: max_chars.convert() }
    }
}

impl Convert<imported::commands::McpTransport> for core::McpTransport {
    fn convert(self) -> imported::commands::McpTransport {
        match self {
            core::McpTransport::Stdio => imported::commands::McpTransport::Stdio,
            core::McpTransport::Http => imported::commands::McpTransport::Http,
            core::McpTransport::Sse => imported::commands::McpTransport::Sse,
            core::McpTransport::Unknown => imported::commands::McpTransport::Unknown,
        }
    }
}

impl Convert<imported::commands::McpServer> for core::McpServer {
    fn convert(self) -> imported::commands::McpServer {
        let core::McpServer { name, transport, address, args, values, disabled_tools, extra } = self;
        imported::commands::McpServer {
            name: name.convert(),
            transport: transport.convert(),
            address: address.convert(),
            args: args.convert(),
            values: values.convert(),
            disabled_tools: disabled_tools.convert(),
            extra: extra.convert(),
        }
    }
}

impl Convert<imported::commands::ToolSpec> for core::ToolSpec {
    fn convert(self) -> imported::commands::ToolSpec {
        let core::ToolSpec { name, description, input_schema } = self;
        imported::commands::ToolSpec {
            name: name.convert(),
            description: description.convert(),
            input_schema: input_schema.convert(),
        }
    }
}

impl Convert<imported::commands::ListThreads> for core::ListThreads {
    fn convert(self) -> imported::commands::ListThreads {
        let core::ListThreads { folder, page, limit } = self;
        imported::commands::ListThreads { folder: folder.convert(), page: page.convert(), limit: limit.convert() }
    }
}

impl Convert<imported::commands::CommandBody> for core::CommandBody {
    fn convert(self) -> imported::commands::CommandBody {
        match self {
            core::CommandBody::Start(x) => imported::commands::CommandBody::Start(x.convert()),
            core::CommandBody::OpenThread(x) => imported::commands::CommandBody::OpenThread(x.convert()),
            core::CommandBody::SendRun(x) => imported::commands::CommandBody::SendRun(x.convert()),
            core::CommandBody::SteerRun(x) => imported::commands::CommandBody::SteerRun(x.convert()),
            core::CommandBody::Interrupt(x) => imported::commands::CommandBody::Interrupt(x.convert()),
            core::CommandBody::Respond(x) => imported::commands::CommandBody::Respond(x.convert()),
            core::CommandBody::ReadThread(x) => imported::commands::CommandBody::ReadThread(x.convert()),
            core::CommandBody::RollbackThread(x) => imported::commands::CommandBody::RollbackThread(x.convert()),
            core::CommandBody::ForkThread(x) => imported::commands::CommandBody::ForkThread(x.convert()),
            core::CommandBody::CompactThread(x) => imported::commands::CommandBody::CompactThread(x.convert()),
            core::CommandBody::ClearThread => imported::commands::CommandBody::ClearThread,
            core::CommandBody::CloseThread => imported::commands::CommandBody::CloseThread,
            core::CommandBody::Summarize(x) => imported::commands::CommandBody::Summarize(x.convert()),
            core::CommandBody::SetSelection(x) => imported::commands::CommandBody::SetSelection(x.convert()),
            core::CommandBody::SetMcpServers(x) => imported::commands::CommandBody::SetMcpServers(x.convert()),
            core::CommandBody::RegisterTools(x) => imported::commands::CommandBody::RegisterTools(x.convert()),
            core::CommandBody::StopTask(x) => imported::commands::CommandBody::StopTask(x.convert()),
            core::CommandBody::WaitTask(x) => imported::commands::CommandBody::WaitTask(x.convert()),
            core::CommandBody::Authenticate(x) => imported::commands::CommandBody::Authenticate(x.convert()),
            core::CommandBody::ListFolders => imported::commands::CommandBody::ListFolders,
            core::CommandBody::ListThreads(x) => imported::commands::CommandBody::ListThreads(x.convert()),
            core::CommandBody::ListSettings => imported::commands::CommandBody::ListSettings,
            core::CommandBody::Other(x) => imported::commands::CommandBody::Other(x.convert()),
        }
    }
}

impl Convert<imported::commands::Command> for core::Command {
    fn convert(self) -> imported::commands::Command {
        let core::Command { op, thread, body } = self;
        imported::commands::Command { op: op.convert(), thread: thread.convert(), body: body.convert() }
    }
}

impl Convert<core::ThreadList> for imported::commands::ThreadList {
    fn convert(self) -> core::ThreadList {
        let imported::commands::ThreadList { threads, next } = self;
        core::ThreadList { threads: threads.convert(), next: next.convert() }
    }
}

impl Convert<core::Folder> for imported::commands::Folder {
    fn convert(self) -> core::Folder {
        let imported::commands::Folder { path, threads, modified_ms } = self;
        core::Folder { path: path.convert(), threads: threads.convert(), modified_ms: modified_ms.convert() }
    }
}

impl Convert<core::Delivered> for imported::commands::Delivered {
    fn convert(self) -> core::Delivered {
        match self {
            imported::commands::Delivered::OpenedTurn => core::Delivered::OpenedTurn,
            imported::commands::Delivered::JoinedTurn => core::Delivered::JoinedTurn,
            imported::commands::Delivered::Queued => core::Delivered::Queued,
            imported::commands::Delivered::Stale => core::Delivered::Stale,
            imported::commands::Delivered::Unknown => core::Delivered::Unknown,
        }
    }
}

impl Convert<core::Delivery> for imported::commands::Delivery {
    fn convert(self) -> core::Delivery {
        let imported::commands::Delivery { how, turn } = self;
        core::Delivery { how: how.convert(), turn: turn.convert() }
    }
}

impl Convert<core::Applies> for imported::commands::Applies {
    fn convert(self) -> core::Applies {
        match self {
            imported::commands::Applies::Now => core::Applies::Now,
            imported::commands::Applies::NextTurn => core::Applies::NextTurn,
            imported::commands::Applies::AfterRestart => core::Applies::AfterRestart,
            imported::commands::Applies::InNewThread => core::Applies::InNewThread,
        }
    }
}

impl Convert<core::OpValue> for imported::commands::OpValue {
    fn convert(self) -> core::OpValue {
        match self {
            imported::commands::OpValue::Accepted => core::OpValue::Accepted,
            imported::commands::OpValue::Thread(x) => core::OpValue::Thread(x.convert()),
            imported::commands::OpValue::Threads(x) => core::OpValue::Threads(x.convert()),
            imported::commands::OpValue::Folders(x) => core::OpValue::Folders(x.convert()),
            imported::commands::OpValue::Settings(x) => core::OpValue::Settings(x.convert()),
            imported::commands::OpValue::Delivered(x) => core::OpValue::Delivered(x.convert()),
            imported::commands::OpValue::Applied(x) => core::OpValue::Applied(x.convert()),
            imported::commands::OpValue::Interrupted(x) => core::OpValue::Interrupted(x.convert()),
            imported::commands::OpValue::Task(x) => core::OpValue::Task(x.convert()),
            imported::commands::OpValue::Text(x) => core::OpValue::Text(x.convert()),
            imported::commands::OpValue::Page(x) => core::OpValue::Page(x.convert()),
            imported::commands::OpValue::Other(x) => core::OpValue::Other(x.convert()),
        }
    }
}

impl Convert<core::OpResult> for imported::commands::OpResult {
    fn convert(self) -> core::OpResult {
        let imported::commands::OpResult { op, outcome } = self;
        core::OpResult { op: op.convert(), outcome: outcome.convert() }
    }
}

impl Convert<exported::adapter::Input> for core::Input {
    fn convert(self) -> exported::adapter::Input {
        match self {
            core::Input::Frame(x) => exported::adapter::Input::Frame(x.convert()),
            core::Input::Command(x) => exported::adapter::Input::Command(x.convert()),
            core::Input::EffectDone(x) => exported::adapter::Input::EffectDone(x.convert()),
            core::Input::Timer(x) => exported::adapter::Input::Timer(x.convert()),
            core::Input::ChannelClosed(x) => exported::adapter::Input::ChannelClosed(x.convert()),
            core::Input::Close => exported::adapter::Input::Close,
            core::Input::Other(x) => exported::adapter::Input::Other(x.convert()),
        }
    }
}

impl Convert<core::Disposition> for exported::adapter::Disposition {
    fn convert(self) -> core::Disposition {
        match self {
            exported::adapter::Disposition::Held => core::Disposition::Held,
            exported::adapter::Disposition::Duplicate => core::Disposition::Duplicate,
            exported::adapter::Disposition::Noise => core::Disposition::Noise,
            exported::adapter::Disposition::Silent(x) => core::Disposition::Silent(x.convert()),
            exported::adapter::Disposition::Unknown(x) => core::Disposition::Unknown(x.convert()),
            exported::adapter::Disposition::Other(x) => core::Disposition::Other(x.convert()),
        }
    }
}

impl Convert<core::Output> for exported::adapter::Output {
    fn convert(self) -> core::Output {
        match self {
            exported::adapter::Output::Event(x) => core::Output::Event(x.convert()),
            exported::adapter::Output::Effect(x) => core::Output::Effect(x.convert()),
            exported::adapter::Output::Done(x) => core::Output::Done(x.convert()),
            exported::adapter::Output::Negotiated(x) => core::Output::Negotiated(x.convert()),
            exported::adapter::Output::Disposition(x) => core::Output::Disposition(x.convert()),
            exported::adapter::Output::Diagnostic(x) => core::Output::Diagnostic(x.convert()),
            exported::adapter::Output::Other(x) => core::Output::Other(x.convert()),
        }
    }
}

impl Convert<core::Caused> for exported::adapter::Caused {
    fn convert(self) -> core::Caused {
        let exported::adapter::Caused { cause, output } = self;
        core::Caused { cause: cause.convert(), output: output.convert() }
    }
}
