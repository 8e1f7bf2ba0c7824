// Follows a live recording: over a socket where there is one, otherwise by asking again.

import { Damaged, count, messageOf, object, text } from "../source/check.js";
import type { Socket } from "../source/files.js";
import { markers, segment, segments } from "../source/published.js";
import { parseJson } from "../wire/index.js";
import type { Loader } from "./loader.js";

/** Without a socket, the page asks for more after so many milliseconds. */
const ASKS = 1500;
/** A socket that is silent for so long is lost. */
const SILENCE = 15_000;
/** The wait before a socket is tried again, at first and at most. */
const WAITS = 1000;
const WAITS_MOST = 30_000;
/** After a connection that lasted so long, the waits are short again. */
const WELL = 60_000;
/** The largest message in bytes, and the largest text message in characters. */
const MOST = 65 << 20;
const MOST_TEXT = 16 << 20;

/** The code of a normal close, for a socket that is no longer wanted. */
const CLOSES = 1000;
/** The code with which the server closes a connection that is too slow. */
const TOO_SLOW = 4000;

/** The way in which new packets come. */
type Way = "socket" | "segments" | "ended";

/** The events of a follower. */
export interface FollowerEvents {
  /** A connection has begun; the first packets were recorded a while ago. */
  began(): void;
  /** Packets have come, or were replaced. */
  grown(): void;
  /** The description of the recording has changed: markers, findings, whether it is live. */
  changed(): void;
  /** The reason why nothing comes for now; null when all is well again. */
  trouble(why: string | null): void;
}

export class Follower {
  way: Way = "segments";
  /** The time of arrival of the newest packet, by the clock of the page. */
  heard = 0;
  private readonly loader: Loader;
  private readonly events: FollowerEvents;
  private socket: Socket | null = null;
  private begun = false;
  private beganAt = 0;
  private waits = WAITS;
  private over = false;
  private asking: ReturnType<typeof setTimeout> | undefined;
  private silence: ReturnType<typeof setTimeout> | undefined;
  private again: ReturnType<typeof setTimeout> | undefined;

  constructor(loader: Loader, events: FollowerEvents) {
    this.loader = loader;
    this.events = events;
  }

  start(): void {
    this.connect();
    this.askSoon();
  }

  /** Nothing more is wanted. */
  stop(): void {
    this.over = true;
    clearTimeout(this.asking);
    clearTimeout(this.again);
    this.drop();
  }

  /** The address of the socket, with the last segment that stays. */
  private address(): string | null {
    const { socket, segments } = this.loader.published;
    const last = segments[segments.length - 2];
    return socket === null || last === undefined ? socket : `${socket}?after=${encodeURIComponent(last.file)}`;
  }

  private connect(): void {
    const { files, published } = this.loader;
    const address = this.address();
    this.again = undefined;
    if (this.over || address === null || files.socket === undefined) {
      return;
    }
    let socket: Socket | null = null;
    try {
      socket = files.socket(address, `r/${published.id}/recording.json`);
    } catch {
      // It is not an address: the page asks for segments.
    }
    if (socket === null) {
      return;
    }
    this.socket = socket;
    this.listen();
    socket.onmessage = ({ data }: MessageEvent<unknown>) => {
      if (this.socket !== socket) {
        return;
      }
      this.listen();
      try {
        this.take(data);
      } catch (error) {
        this.lost(messageOf(error));
      }
    };
    socket.onclose = ({ code }: { code: number }) => {
      if (this.socket === socket) {
        this.lost(code === TOO_SLOW ? "this page could not keep up" : null);
      }
    };
  }

  private listen(): void {
    clearTimeout(this.silence);
    this.silence = setTimeout(() => this.lost("the server is silent"), SILENCE);
  }

  private take(data: unknown): void {
    if (typeof data === "string" && data.length <= MOST_TEXT) {
      this.say(data);
    } else if (data instanceof ArrayBuffer && data.byteLength <= MOST) {
      if (!this.begun) {
        throw new Damaged("there are records before the socket says what they follow");
      }
      this.loader.append(new Uint8Array(data));
      this.heard = performance.now();
      this.events.grown();
    } else {
      throw new Damaged("a message is too large, or of no kind that is known");
    }
  }

  private say(source: string): void {
    let json;
    try {
      json = object(parseJson(source), "a message");
    } catch (error) {
      throw error instanceof Damaged ? error : new Damaged("a message is no JSON");
    }
    const { loader, events } = this;
    switch (text(json["kind"], "the kind of a message")) {
      case "begin":
        if (json["version"] !== 1) {
          throw new Damaged(`the socket speaks version ${String(json["version"])}, this page version 1`);
        }
        loader.begin(count(json["keep"], "how many segments are kept"), segments(json["segments"]));
        this.begun = true;
        this.beganAt = performance.now();
        this.way = "socket";
        clearTimeout(this.asking);
        events.trouble(null);
        events.began();
        events.grown();
        break;
      case "segment":
        loader.seal(segment(json["segment"]));
        events.grown();
        break;
      case "markers":
        loader.mark(0, markers(json["markers"]));
        events.changed();
        break;
      case "marked":
        loader.mark(count(json["keep"], "how many markers are kept"), markers(json["markers"]));
        events.changed();
        break;
      case "end":
        this.drop();
        void this.ask();
    }
  }

  /** Closes the socket. */
  private drop(): void {
    const { socket } = this;
    clearTimeout(this.silence);
    this.socket = null;
    this.begun = false;
    this.way = "segments";
    if (socket !== null) {
      socket.onmessage = socket.onclose = null;
      socket.close(CLOSES);
    }
  }

  /** The socket is lost: the page asks for segments, and tries another socket later. */
  private lost(why: string | null): void {
    const well = this.begun && performance.now() - this.beganAt >= WELL;
    this.drop();
    if (this.over) {
      return;
    }
    if (why !== null) {
      this.events.trouble(`The live connection was lost (${why}): what is new comes a little later`);
    }
    this.waits = well ? WAITS : this.waits;
    this.connectSoon();
    this.askSoon();
  }

  private connectSoon(): void {
    clearTimeout(this.again);
    this.again = setTimeout(() => this.connect(), this.waits);
    this.waits = Math.min(WAITS_MOST, 2 * this.waits);
  }

  private askSoon(): void {
    clearTimeout(this.asking);
    this.asking = setTimeout(() => void this.ask(), ASKS);
  }

  /** Asks how far the recording has got. */
  private async ask(): Promise<void> {
    const { loader, events } = this;
    clearTimeout(this.asking);
    try {
      const grown = await loader.refresh(() => !this.begun && !this.over);
      if (this.over) {
        return;
      }
      if (!this.begun) {
        events.trouble(null);
      }
      if (grown) {
        this.heard = performance.now();
        events.grown();
        events.changed();
      }
    } catch (error) {
      if (!this.over && !this.begun) {
        events.trouble(`Nothing more comes of this recording for now: ${messageOf(error)}`);
      }
    }
    if (!loader.published.live) {
      this.stop();
      this.way = "ended";
      events.changed();
    } else if (!this.begun && !this.over) {
      if (this.socket === null && this.again === undefined && this.address() !== null) {
        this.connectSoon();
      }
      this.askSoon();
    }
  }
}
