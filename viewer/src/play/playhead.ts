// The playhead: a moment of a recording, and how it moves.

export const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16] as const;

/** How far a frame of the screen may be from the last: a page in the background stands still meanwhile. */
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
