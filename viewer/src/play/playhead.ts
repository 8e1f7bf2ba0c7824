// The playhead: a moment of a recording, and how it moves; in a live recording, as near to its end as it can be and
// still play evenly.

export const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16] as const;

/** The longest time that counts from one frame of the screen to the next: a page in the background stands still. */
const LONGEST = 250;
/** Steps a second where a recording knows no times. */
const STEPS_A_SECOND = 20;

/** A stretch that is played again and again. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** The playhead: on a clock of milliseconds, or of steps. */
export class Playhead {
  at: number;
  playing = false;
  speed = 1;
  loop: Stretch | null = null;
  from: number;
  to: number;
  /** Whether more may come: then the end is no end. */
  live = false;
  /** Whether it follows a live recording: then `to` moves it, and no clock. */
  following = false;
  /** Whether the clock is in milliseconds; otherwise it is in steps. */
  times: boolean;

  constructor(from: number, to: number, times: boolean) {
    this.from = from;
    this.to = Math.max(from, to);
    this.at = from;
    this.times = times;
  }

  /** Goes to a moment, within the recording. */
  seek(at: number): void {
    this.following = false;
    this.at = Math.min(this.to, Math.max(this.from, Number.isFinite(at) ? at : this.from));
  }

  /** Follows a live recording. */
  follow(): void {
    this.at = this.to;
    this.following = this.playing = this.live;
    this.speed = 1;
    this.loop = null;
  }

  /** Moves to this moment of the recording that it follows. */
  followed(at: number): void {
    this.at = Math.min(this.to, Math.max(this.from, at));
  }

  /** Nothing more comes: the end is the end. */
  ended(): void {
    this.live = this.following = false;
  }

  /** Plays; at the end, plays from the start. */
  play(): void {
    const end = this.loop?.to ?? this.to;
    if (this.at >= end && this.live && this.loop === null) {
      this.follow();
      return;
    }
    if (this.at >= end && !this.live) {
      this.at = this.loop?.from ?? this.from;
    }
    this.playing = this.live || this.to > this.from;
  }

  pause(): void {
    this.playing = this.following = false;
  }

  /** Goes up or down by so many of the speeds. */
  faster(by: number): void {
    const now = SPEEDS.findIndex((speed) => speed >= this.speed);
    this.speed = SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, now + by))]!;
    // A live recording can't be shown faster than it comes.
    this.following &&= this.speed >= 1;
  }

  /** So many milliseconds have passed on the wall clock. */
  elapsed(ms: number): void {
    if (!this.playing || this.following || !(ms > 0)) {
      return;
    }
    this.at += Math.min(ms, LONGEST) * (this.times ? 1 : STEPS_A_SECOND / 1000) * this.speed;
    const { loop } = this;
    if (loop !== null && this.at >= loop.to) {
      const length = loop.to - loop.from;
      this.at = length > 0 ? loop.from + ((this.at - loop.from) % length) : loop.from;
    } else if (this.at >= this.to) {
      this.at = this.to;
      this.playing = this.live;
      if (this.live) {
        this.follow();
      }
    }
  }
}

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

/** Watches when packets come, and computes the moment of a live recording to show. */
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
