//! What the receiver says.

use super::{Sender, skip};
use crate::session::feedback::Feedback;

impl Sender {
    /// Takes what the receiver says. False if it tells nothing new: an ack of something never
    /// sent, or no longer remembered; a request that was answered already.
    pub fn feedback(&mut self, feedback: &Feedback) -> bool {
        match *feedback {
            Feedback::NeedFull { baseline } => {
                let asked = self.acked == Some(baseline);
                if asked {
                    self.resync();
                }
                asked
            }
            Feedback::Ack { tick, earlier } => {
                for tick in Feedback::ticks(tick, earlier) {
                    self.confirm(tick);
                }
                let newer = self.acked.is_none_or(|acked| acked < tick);
                let held = newer && self.states.get(tick).is_some();
                if held {
                    self.acked = Some(tick);
                    self.states.drop_before(tick);
                }
                held
            }
        }
    }

    /// The packet of this tick arrived: so did what it named.
    fn confirm(&mut self, tick: u32) {
        let Ok(at) = self.named.binary_search_by_key(&tick, |(tick, _)| *tick) else {
            return;
        };
        let Some((_, names)) = self.named.get_mut(at) else {
            return;
        };
        let mut at = 0;
        for id in names.drain(..) {
            at += skip(self.known.get(at..), |known| known.id < id);
            if let Some(known) = self.known.get_mut(at)
                && known.id == id
                && known.since <= tick
            {
                known.confirmed = true;
            }
        }
    }

    /// Starts anew: packets are full snapshots until one is acknowledged. For a receiver that
    /// asks for it by other means than [`Feedback::NeedFull`].
    pub fn resync(&mut self) {
        self.acked = None;
        self.states.clear();
        self.spare_names
            .extend(self.named.drain(..).map(|(_, names)| names));
        self.known.clear();
        self.shown.clear();
        self.gone.clear();
        self.absent.clear();
    }
}
