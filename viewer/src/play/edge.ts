// Computes the moment of a live recording to show: as near to its end as the page can be and still play evenly.

/** The arrivals that count are those of the last so many milliseconds. */
const WINDOW = 10_000;
/** The greatest distance to the end, in milliseconds. */
const MOST = 8000;
/** A greater distance to the wanted moment is jumped over. */
const FAR = 2500;
/** The time in which a smaller distance is made up for. */
const SOON = 500;

/** For so long after a connection began, packets that were missed arrive: their times say nothing about later ones. */
const CATCHES_UP = 500;
/** Nor do the arrivals before a packet that came so much earlier than any other. */
const NEARER = 250;

interface Arrival {
  readonly now: number;
  /** The newest packet's time of arrival less its time in the recording; the two clocks have different origins. */
  readonly off: number;
  /** The same for the first packet that came with it, which had to be waited for longest. */
  readonly late: number;
}

/** Watches when packets come. */
export class Edge {
  private readonly arrivals: Arrival[] = [];
  private newest = NaN;
  private settles = -Infinity;

  /** A connection has begun: the next packets may have been recorded a while ago. */
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

  /** The distance to the end at which packets arrive before they are due, with `pace` between two packets. */
  delay(pace: number): number {
    const least = this.least();
    const late = this.arrivals.reduce((most, { late }) => Math.max(most, late - least), 0);
    return Math.min(MOST, late + pace);
  }

  private least(): number {
    return this.arrivals.reduce((least, { off }) => Math.min(least, off), Infinity);
  }

  /** The moment to show `ms` after `at` was shown; the end itself where there is nothing to wait for. */
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
