//! What is being asked of the thread at the moment: messages, answers, interrupts, settings; of a script, of a person, of a rule.
//!
//! **Each begins in the order in which it was given.** A message and an interrupt hold back what follows until they are taken
//! on, which is soon; an answer and a setting wait for the provider, and hold back nothing. Nothing here decides.

use super::approve::Answer;
use super::input::{Order, Tag};
use jackfield_core::contract::{Applies, Content};
use jackfield_core::id::{RequestId, RunId, ThreadId};
use jackfield_core::outbox::Waiting;
use jackfield_core::requests::AnswerError;
use jackfield_runtime::host::{Host, HostError};
use jackfield_runtime::session::AskError;
use jackfield_runtime::thread::Thread;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;

/// Something that was asked for, with what came of it.
pub enum Done {
    /// The prompt of the command line was taken on, or not.
    Sent(Result<RunId, AskError>),
    /// A person's or a rule's answer.
    Answered(Box<Answer>, Result<(), AskError>),
    /// The interrupt of a signal.
    Interrupted(Result<(), AskError>),
    /// A line of input.
    Line(Tag, Result<Taken, Refused>),
}

/// Why a line of input was not carried out.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    #[error(transparent)]
    Ask(#[from] AskError),
    #[error(transparent)]
    Answer(#[from] AnswerError),
    /// No copy was made.
    #[error(transparent)]
    Host(#[from] HostError),
}

impl Refused {
    /// Stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Ask(error) => error.code(),
            Self::Answer(error) => error.code(),
            Self::Host(error) => error.code(),
        }
    }
}

/// What a line of input brought about at once.
#[derive(Default)]
pub struct Taken {
    /// The run that a message became.
    pub run: Option<RunId>,
    /// The request that was answered.
    pub request: Option<RequestId>,
    /// The messages that wait, where they were asked for.
    pub queue: Option<Vec<Waiting>>,
    /// The copy that was made.
    pub thread: Option<ThreadId>,
    /// From when on what was set counts.
    pub applies: Option<Applies>,
}

struct Work<'a> {
    /// What follows waits for it.
    holds: bool,
    tag: Option<Tag>,
    doing: Pin<Box<dyn Future<Output = Done> + Send + 'a>>,
}

/// All that is being asked of one thread.
pub struct Hands<'a> {
    host: &'a Host,
    thread: &'a Thread,
    works: Vec<Work<'a>>,
    most: usize,
}

impl<'a> Hands<'a> {
    /// At most so many lines of input at once.
    pub fn new(host: &'a Host, thread: &'a Thread, most: u64) -> Hands<'a> {
        Hands { host, thread, works: Vec::new(), most: most as usize }
    }

    /// True when nothing is under way.
    pub fn are_free(&self) -> bool {
        self.works.is_empty()
    }

    /// True when the next line of input may begin.
    pub fn may_begin(&self) -> bool {
        self.works.len() < self.most && !self.works.iter().any(|work| work.holds)
    }

    /// Sends the prompt of the command line.
    pub fn send(&mut self, content: Vec<Content>) {
        let thread = self.thread;
        self.push(true, None, async move { Done::Sent(thread.send(content).await) });
    }

    /// Gives an answer.
    pub fn answer(&mut self, answer: Answer) {
        let thread = self.thread;
        self.push(false, None, async move {
            let given = thread.answer(answer.request.clone(), answer.reply.clone(), &answer.by).await;
            Done::Answered(Box::new(answer), given)
        });
    }

    /// Stops the run at work, and takes back what waits first: nothing begins any more.
    pub fn interrupt(&mut self) {
        let thread = self.thread;
        self.push(true, None, async move {
            for waiting in thread.queue().await {
                // One that the provider has already can't be taken back; it ends with the session.
                let _ = thread.withdraw(&waiting.run).await;
            }
            Done::Interrupted(thread.interrupt().await)
        });
    }

    /// Carries out a line of input.
    pub fn line(&mut self, tag: Tag, order: Order) {
        let (host, thread) = (self.host, self.thread);
        let waits = matches!(order, Order::Answer(..) | Order::Settings(_) | Order::Compact(_) | Order::StopTask(_));
        let told = tag.clone();
        self.push(!waits, Some(tag), async move { Done::Line(told, carry_out(host, thread, order).await) });
    }

    /// The next that is done; never comes while nothing is under way.
    pub async fn next(&mut self) -> Done {
        poll_fn(|cx| {
            for at in 0..self.works.len() {
                if let Poll::Ready(done) = self.works[at].doing.as_mut().poll(cx) {
                    self.works.remove(at);
                    return Poll::Ready(done);
                }
            }
            Poll::Pending
        })
        .await
    }

    /// Lets go of all that is under way: the lines of which nobody will know what came of them.
    pub fn let_go(&mut self) -> Vec<Tag> {
        self.works.drain(..).filter_map(|work| work.tag).collect()
    }

    fn push(&mut self, holds: bool, tag: Option<Tag>, doing: impl Future<Output = Done> + Send + 'a) {
        self.works.push(Work { holds, tag, doing: Box::pin(doing) });
    }
}

async fn carry_out(host: &Host, thread: &Thread, order: Order) -> Result<Taken, Refused> {
    let mut taken = Taken::default();
    match order {
        Order::Message(content, delivery) => taken.run = Some(thread.send_as(content, delivery).await?),
        Order::Answer(id, reply) => {
            let request = RequestId::parse(&id).ok_or(AnswerError::NotFound { id })?;
            thread.answer(request.clone(), reply, "script").await.map_err(|error| match error {
                // The session that asked is gone, and its requests with it.
                AskError::Ended => AnswerError::Expired { id: request.clone() }.into(),
                other => other,
            })?;
            taken.request = Some(request);
        }
        Order::Interrupt(stop) => thread.stop(stop).await.map_err(|error| match error {
            // Where no session is at work, no run is.
            AskError::Ended => AskError::NothingActive,
            other => other,
        })?,
        Order::Settings(values) => thread.select(values).await?,
        Order::Queue => taken.queue = Some(thread.queue().await),
        Order::Edit(run, content) => thread.edit(&run, content).await?,
        Order::Withdraw(run) => thread.withdraw(&run).await?,
        Order::Reorder(runs) => thread.reorder(runs).await?,
        Order::Promote(run) => thread.promote(&run).await?,
        Order::Compact(keep) => thread.compact(&keep).await?,
        Order::Clear => thread.clear().await?,
        Order::Fork(at) => taken.thread = Some(host.copy_thread(thread, at).await?),
        Order::OpenSubagent(task) => taken.thread = Some(host.open_subagent(thread, &task).await?),
        Order::Rollback(to) => thread.rollback(to.as_ref()).await?,
        Order::McpServers(servers) => taken.applies = Some(thread.set_mcp_servers(servers).await?),
        Order::Tools(tools) => taken.applies = Some(thread.register_tools(tools).await?),
        Order::StopTask(task) => thread.stop_task(&task).await?,
        // The stream itself ends: whoever holds it closes the thread.
        Order::Close => {}
    }
    Ok(taken)
}
