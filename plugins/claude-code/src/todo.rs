//! The todo list. Two families of tools keep it: one tells the whole list, the other changes it step by step.

use jackfield_sdk::prelude::*;

use crate::wire::ToolExtra;

/// The list, as far as results have told it.
#[derive(Debug, Default)]
pub(crate) struct Todos {
    steps: Vec<(String, String, Status)>,
    /// History is told from its middle on: the list is not known before it is told whole.
    unknown: bool,
}

impl Todos {
    /// History is told, from the beginning of the conversation or from its middle on.
    pub(crate) fn begins(&mut self, first: bool) {
        self.unknown = !first;
    }

    /// Takes over what a tool's result tells, and gives the list when it changed.
    pub(crate) fn learn(&mut self, tool: &str, extra: &ToolExtra) -> Option<Plan> {
        match tool {
            "TaskCreate" | "TaskUpdate" if self.unknown => return None,
            "TodoWrite" | "TaskList" => self.unknown = false,
            _ => {}
        }
        match tool {
            "TodoWrite" => {
                let todos = extra.new_todos.as_ref()?;
                self.steps = todos
                    .iter()
                    .map(|todo| (String::new(), todo.content.clone(), Status::of_todo(&todo.status)))
                    .collect();
            }
            "TaskCreate" => {
                let task = extra.task.as_ref()?;
                self.steps.push((task.id.clone(), task.subject.clone(), Status::of_todo(&task.status)));
            }
            "TaskList" => {
                let tasks = extra.tasks.as_ref()?;
                self.steps = tasks
                    .iter()
                    .map(|task| (task.id.clone(), task.subject.clone(), Status::of_todo(&task.status)))
                    .collect();
            }
            "TaskUpdate" => {
                let (id, to) = (extra.task_id.as_ref()?, &extra.status_change.as_ref()?.to);
                if to == "deleted" {
                    self.steps.retain(|(known, ..)| known != id);
                } else {
                    self.steps.iter_mut().find(|(known, ..)| known == id)?.2 = Status::of_todo(to);
                }
            }
            _ => return None,
        }
        let steps = self.steps.iter().map(|(_, text, status)| PlanStep::new(text, *status)).collect();
        Some(Plan { id: None, explanation: None, steps })
    }
}
