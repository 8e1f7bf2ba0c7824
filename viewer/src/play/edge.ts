// Where to be in what is being recorded: as near to its end as one can without stumbling.

/** How far back arrivals are looked at, in milliseconds. */
const WINDOW = 10_000;
/** One is never further behind than this. */
const MOST = 8000;
/** Farther from where one is to be than this one jumps. */
const FAR = 2500;
/** How long it takes to make up for what is less. */
const SOON = 500;

/** For so long after a connection began what comes is what was missed before, and says nothing of what is to come. */
const CATCHES_UP = 500;
/** Nor does what came before the newest packet was so much nearer than ever. */
const NEARER = 250;

interface Arrival {
  readonly now: number;
  /** How much later the newest packet came than it was recorded, by clocks that know nothing of each other. */
  readonly off: number;
  /** The same of the first packet that came with it, which is the one to wait for. */
  readonly late: number;
}

/** Watches when packets come. */
export class Edge {
  private readonly arrivals: Arrival[] = [];
  private newest = NaN;
  private settles = -Infinity;

  /** What comes now may have been recorded a while ago. */
  began(now: number): void {
    this.settles = now + CATCHES_UP;
  }

  /** Packets have come: the newest is of `at`, `count` came since the last time, and they are `pace` apart. */
  heard(at: number, count: number, pace: number, now: number): void {
    if (!(at > this.newest) && !Number.isNaN(this.newest)) {
      return;
    }
    const missed = now < this.settles || now - at < this.least() - NEARER;
    if (missed) {
      this.arrivals.length = 0;
    }
    const first = missed ? at : at - Math.max(0, count - 1) * pace;
    this.newest = at;
    this.arrivals.push({ now, off: now - at, late: now - first });
    let old = 0;
    while (old < this.arrivals.length - 1 && this.arrivals[old]!.now < now - WINDOW) {
      old += 1;
    }
    this.arrivals.splice(0, old);
  }

  /** How far behind the end one has to be for packets to be there when they are due, at `pace` apart. */
  delay(pace: number): number {
    const least = this.least();
    const late = this.arrivals.reduce((most, { late }) => Math.max(most, late - least), 0);
    return Math.min(MOST, late + pace);
  }

  private least(): number {
    return this.arrivals.reduce((least, { off }) => Math.min(least, off), Infinity);
  }

  /** Where to be `ms` after one was at `at`; with nothing to wait for, the end itself. */
  onward(at: number, to: number, pace: number, smooth: boolean, now: number, ms: number): number {
    if (!smooth || this.arrivals.length === 0) {
      return to;
    }
    const wanted = Math.min(to, now - this.least() - this.delay(pace));
    const away = wanted - at;
    if (Math.abs(away) > FAR) {
      return wanted;
    }
    // A little faster or slower, never back.
    const rate = Math.max(0, Math.min(3, 1 + away / SOON));
    return Math.min(to, at + rate * ms);
  }
}
