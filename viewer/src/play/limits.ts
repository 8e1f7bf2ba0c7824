// What is asked of packets of recordings.

import { type Limits, NO_LIMITS } from "../wire/index.js";

/** More rows and tiles at once are none that a page can show. */
const MOST_ENTITIES = 1 << 20;

export const LIMITS: Limits = { ...NO_LIMITS, entities: MOST_ENTITIES };
