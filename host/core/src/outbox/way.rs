//! How a message goes to the provider. **The policy's rows decide, and what is not as it was asked is said.**

use crate::capability::Capabilities;
use crate::policy::{Decision, Intent, PolicyConfig, Strategy, decide};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a person wants of a message that comes while a run is at work. Without one, each of them begins the message's run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Delivery {
    /// As the policy's row `steer` has it: into the open turn; else by interrupting it; else behind it.
    Auto,
    /// Into the open turn, or refused.
    Steer,
    /// Behind the open turn.
    #[default]
    Queue,
    /// The open turn is interrupted, and what it was about begins again with this message, as a replacement attempt.
    Restart,
    /// The open turn is interrupted, and this message is the next, before all that wait.
    Now,
}

/// What is at work.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Scene {
    /// A run is at work.
    pub active: bool,
    /// It is being stopped.
    pub stopping: bool,
    /// Messages wait here already.
    pub waiting: bool,
}

/// How a message goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// It waits here.
    Wait,
    /// It waits here, before the others.
    Next,
    /// It waits with the provider.
    Enqueue,
    /// It goes into the open turn.
    Steer,
    /// The open turn is interrupted; it is the next.
    Interrupt,
    /// The open turn is interrupted; it is the next, in that one's place.
    Restart,
}

/// It can't go as it was asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Refusal {
    /// What was asked.
    pub intent: Intent,
    /// What the policy says.
    pub decision: Decision,
}

/// How a message goes, and each thing that is done instead of what was asked.
pub fn way(
    delivery: Delivery,
    scene: Scene,
    capabilities: &Capabilities,
    config: &PolicyConfig,
) -> Result<(Way, Vec<Refusal>), Refusal> {
    let asked = |intent: Intent| Refusal { intent, decision: decide(&intent, capabilities, config) };
    if !scene.active {
        return Ok((if delivery == Delivery::Now { Way::Next } else { Way::Wait }, Vec::new()));
    }
    let steer = asked(Intent::Steer);
    match delivery {
        Delivery::Queue => queue(scene, asked(Intent::QueueMessage), Vec::new()),
        // What is being stopped takes nothing in any more.
        Delivery::Auto if scene.stopping => queue(scene, asked(Intent::QueueMessage), Vec::new()),
        Delivery::Steer if scene.stopping => Err(Refusal {
            intent: Intent::Steer,
            decision: Decision::Unsupported { because: "the open turn is being stopped; queue the message".into() },
        }),
        Delivery::Auto | Delivery::Steer => match &steer.decision {
            Decision::Native => Ok((Way::Steer, Vec::new())),
            Decision::Degraded { strategy: Strategy::SteerAndStopTools, .. } => Ok((Way::Steer, vec![steer])),
            Decision::Degraded { .. } if delivery == Delivery::Steer => Err(steer),
            Decision::Degraded { strategy: Strategy::InterruptAndRestart, .. } => Ok((Way::Restart, vec![steer])),
            Decision::Degraded { .. } => queue(scene, asked(Intent::QueueMessage), vec![steer]),
            Decision::Unsupported { .. } | Decision::Blocked { .. } => Err(steer),
        },
        Delivery::Restart if !config.interrupt_restart => Err(Refusal {
            intent: Intent::Steer,
            decision: Decision::Unsupported {
                because: "runs are not interrupted to bring in a message; allow interrupt-restart, or queue it".into(),
            },
        }),
        Delivery::Restart | Delivery::Now => {
            let stop = asked(Intent::Interrupt);
            let way = if delivery == Delivery::Restart { Way::Restart } else { Way::Interrupt };
            match (&stop.decision, scene.stopping) {
                (_, true) => Ok((Way::Next, Vec::new())),
                (Decision::Native | Decision::Degraded { .. }, _) => Ok((way, Vec::new())),
                _ => Err(stop),
            }
        }
    }
}

fn queue(scene: Scene, asked: Refusal, mut said: Vec<Refusal>) -> Result<(Way, Vec<Refusal>), Refusal> {
    match asked.decision {
        // Behind those that wait here, or it would overtake them.
        Decision::Native if scene.waiting || scene.stopping => Ok((Way::Wait, said)),
        Decision::Native => Ok((Way::Enqueue, said)),
        // What was said of the steer says this, too.
        Decision::Degraded { .. } if !said.is_empty() => Ok((Way::Wait, said)),
        Decision::Degraded { .. } => {
            said.push(asked);
            Ok((Way::Wait, said))
        }
        Decision::Unsupported { .. } | Decision::Blocked { .. } => Err(asked),
    }
}
