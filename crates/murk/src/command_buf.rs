//! A list of commands to be written or simulated.

use crate::command::{Command, Commands, Envelope};
use crate::encode::{LIMITS, check, check_count, put_command, put_envelope, put_head};
use crate::error::WriteError;
use crate::payload::Payload;

/// The commands of one tick, owned: to be written or simulated.
///
/// ```
/// use gametape_murk::{CommandBuf, Envelope, Payload};
/// let mut commands = CommandBuf::new();
/// let set = Payload::SetField { coord: (&[3, 4]).into(), field: 0, value: 1.5 };
/// commands.push(&Envelope::default(), &set)?;
/// assert_eq!(commands.as_commands().iter().next().unwrap().payload()?, set);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct CommandBuf {
    bytes: Vec<u8>,
    count: u32,
}

impl CommandBuf {
    /// Creates an empty list.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            bytes: Vec::new(),
            count: 0,
        }
    }

    /// Adds a command.
    ///
    /// # Errors
    /// [`WriteError::DataTooLarge`] for a payload over 64 MiB and for more than 1,000,000 commands.
    /// Nothing is added then.
    pub fn push(&mut self, envelope: &Envelope, payload: &Payload<'_>) -> Result<(), WriteError> {
        let count = self.next_count()?;
        let size = payload.size();
        let length = check("a payload", "bytes", size, LIMITS.max_blob_bytes)?;
        self.bytes.reserve(size + 40);
        put_head(payload.tag(), length, &mut self.bytes);
        payload.put(&mut self.bytes);
        put_envelope(envelope, &mut self.bytes);
        self.count = count;
        Ok(())
    }

    /// Adds a command as it is stored.
    ///
    /// # Errors
    /// Same as [`CommandBuf::push`].
    pub fn push_stored(&mut self, command: &Command<'_>) -> Result<(), WriteError> {
        let count = self.next_count()?;
        put_command(command, &mut self.bytes)?;
        self.count = count;
        Ok(())
    }

    fn next_count(&self) -> Result<u32, WriteError> {
        check_count(self.count as usize + 1)
    }

    /// Replaces the commands by these.
    pub fn assign(&mut self, commands: Commands<'_>) {
        self.bytes.clear();
        self.bytes.extend_from_slice(commands.as_bytes());
        self.count = commands.len() as u32;
    }

    /// Returns the commands in the form that a frame has them, without a copy.
    #[must_use]
    pub fn as_commands(&self) -> Commands<'_> {
        Commands::new(&self.bytes, self.count)
    }

    /// Removes the commands and keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.count = 0;
    }
}
