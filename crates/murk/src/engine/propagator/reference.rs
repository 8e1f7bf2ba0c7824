//! The origin's reference pipeline: propagators that do not take field names, but work on fields
//! with fixed numbers.

use std::sync::{Arc, Mutex};

use murk_propagator::Propagator as Origin;
use murk_propagators::{AgentMovementPropagator, DiffusionPropagator, RewardPropagator};

use super::stock::{Costs, Ids, Named, Stock, Surroundings, Use};
use crate::engine::define::parameters;
use crate::engine::error::WorldFault;

/// The numbers of the fields.
const HEAT: usize = 0;
const VELOCITY: usize = 1;
const AGENTS: usize = 2;
const GRADIENT: usize = 3;
const REWARD: usize = 4;

parameters! {
    /// Diffuses field 0, the heat (one value a cell), and field 1, the velocity (two values), and
    /// writes the gradient of field 0 to field 3 (two values).
    Diffusion = "diffusion" {
        /// The speed of the diffusion.
        diffusivity: f64,
    }
}

impl Stock for Diffusion {
    fn uses(&self) -> Vec<(Named<'_>, Use)> {
        [(HEAT, 1), (VELOCITY, 2), (GRADIENT, 2)]
            .map(|(field, values)| {
                let named = Named::Number(field, "0, 1 and 3");
                (named, Use::WriteFirst(values))
            })
            .to_vec()
    }

    fn check(&self, world: &Surroundings<'_>) -> Result<(), (&'static str, WorldFault)> {
        world.two("", world.fields.get(GRADIENT))
    }

    fn build(&self, _: &Ids<'_>) -> Result<Box<dyn Origin>, String> {
        let diffusivity = self.diffusivity;
        // The origin asserts it.
        if !diffusivity.is_finite() || diffusivity < 0.0 {
            return Err(format!(
                "diffusivity must be finite and >= 0, got {diffusivity}"
            ));
        }
        Ok(Box::new(DiffusionPropagator::new(diffusivity)))
    }

    fn memory(&self, costs: &Costs) -> u64 {
        costs.unless_squares(costs.cells + costs.ranks + costs.deltas)
    }
}

parameters! {
    /// Places agents into field 2 in the first tick, and keeps them there.
    ///
    /// The origin moves them by actions that are not commands. No recording has any, so agents
    /// never move. (It looks agents up in a `HashMap`, but never iterates over it, so it is
    /// deterministic.)
    AgentMovement = "agent_movement" {
        /// Each agent's number, and the element on which it starts.
        initial_positions: Vec<(u16, u64)> = Vec::new(),
    }
}

impl Stock for AgentMovement {
    fn uses(&self) -> Vec<(Named<'_>, Use)> {
        vec![(Named::Number(AGENTS, "2"), Use::Update)]
    }

    fn check(&self, world: &Surroundings<'_>) -> Result<(), (&'static str, WorldFault)> {
        let positions = self.initial_positions.iter().map(|(_, at)| *at);
        Surroundings::elements("initial_positions", positions, world.cells)
    }

    fn build(&self, _: &Ids<'_>) -> Result<Box<dyn Origin>, String> {
        let positions = self.initial_positions.iter();
        let positions =
            positions.filter_map(|&(agent, at)| Some((agent, usize::try_from(at).ok()?)));
        let no_actions = Arc::new(Mutex::new(Vec::new()));
        let built = AgentMovementPropagator::new(no_actions, positions.collect());
        Ok(Box::new(built))
    }

    fn memory(&self, costs: &Costs) -> u64 {
        costs.unless_squares(costs.cells + costs.deltas)
    }
}

parameters! {
    /// Computes a reward into field 4 from the heat (field 0) at the agents (field 2).
    Reward = "reward" {
        /// The weight of the heat.
        heat_bonus: f32,
        /// The cost of a tick.
        step_cost: f32,
    }
}

impl Stock for Reward {
    fn uses(&self) -> Vec<(Named<'_>, Use)> {
        let number = |field| Named::Number(field, "0, 2 and 4");
        vec![
            (number(HEAT), Use::Read),
            (number(AGENTS), Use::Read),
            (number(REWARD), Use::WriteFirst(1)),
        ]
    }

    fn build(&self, _: &Ids<'_>) -> Result<Box<dyn Origin>, String> {
        Ok(Box::new(RewardPropagator::new(
            self.heat_bonus,
            self.step_cost,
        )))
    }
}
