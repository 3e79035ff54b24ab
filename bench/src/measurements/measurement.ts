import type { Driver, HistoryTable } from "../contenders/contender.ts";
import type { Crew } from "../program/crew.ts";
import type { ServerMeter } from "../program/server-meter.ts";

/** What a measurement has at hand, in the contender's own process. */
export interface Bench {
  /** The producer. */
  readonly driver: Driver;
  /** The worker processes. */
  readonly crew: Crew;
  readonly url: string;
  /** The configuration, for producer and workers. */
  readonly isTuned: boolean;
  /** Null where the contender's store is not PostgreSQL. */
  readonly meter: ServerMeter | null;
  readonly history: HistoryTable | null;
  /** What a cold start runs, in `cold/`. */
  readonly coldProgram: string;
}

/** Null for what cannot be known here. */
export type Numbers = Readonly<Record<string, number | null>>;

export interface Measured {
  readonly numbers: Numbers;
  readonly details?: Readonly<Record<string, unknown>>;
  /** What a reader of the row must know. */
  readonly note?: string;
}

export type Measurement<Parameters> = (bench: Bench, parameters: Parameters) => Promise<Measured>;
