/**
 * What a flag takes after it. "span" is a length of time such as 24h, in ms; "instant" a date with a time; "time" either,
 * the span counted back from now.
 */
export type FlagType = "switch" | "text" | "number" | "span" | "instant" | "time";

/** What the shell may offer as its value. */
export type Completes = "pipelines" | "stages" | "statuses" | "schedules" | "budgets" | "files";

export interface Flag {
  readonly type: FlagType;
  readonly sentence: string;
  /** One letter, for -q. */
  readonly short?: string;
  /** How help calls the value. */
  readonly placeholder?: string;
  /** May be given several times. */
  readonly many?: true;
  readonly choices?: readonly string[];
  /** Bounds of a number. */
  readonly least?: number;
  readonly most?: number;
  readonly completes?: Completes;
}

export type Flags = Readonly<Record<string, Flag>>;

interface ValueTypes {
  switch: boolean;
  text: string;
  number: number;
  span: number;
  instant: Date;
  time: Date;
}

type ValueOf<F extends Flag> = F["type"] extends "switch"
  ? boolean
  : F extends { many: true }
    ? readonly ValueTypes[F["type"]][]
    : ValueTypes[F["type"]] | undefined;

/** What was given, by the flags' names: a switch is false and a list empty when it was not. */
export type FlagValues<Known extends Flags> = { readonly [Name in keyof Known]: ValueOf<Known[Name]> };
