/** What a look has brought, as far as the next one depends on it. */
export interface EndedLook {
  /** The stages in which nothing is left. */
  readonly stageIds: readonly number[];
  /** Whether the same call has settled jobs. */
  readonly hasSettled: boolean;
  /** When the first job falls due that the look has seen; infinite: none. */
  readonly nextDueMs: number;
}

/** When a worker that has found no more jobs looks again, and how it hears of new ones. */
export interface Waking {
  /** Whether it looks when it is woken, with calls that go anyway, and at once where more may wait. */
  readonly looksBetweenPolls: boolean;
  /** How many workers, this one among them, sleep for the same jobs. */
  sleepers: number;
  /** Somebody in this process, or a wake-up, says "look now". */
  heard(): void;
  /** A wake-up has come from the database: few others were told. */
  wokenUp(): void;
  /** A look has brought jobs. */
  found(): void;
  /** A look has brought as many jobs as some stage had room for. */
  foundAll(nowMs: number): Promise<void>;
  /** A look has left room: how long to wait for the next one. */
  foundTooFew(look: EndedLook, nowMs: number): Promise<number>;
  /** Whether the last look has brought all it asked for. */
  readonly isBusy: boolean;
  /** When others may have to be told of what waits for this worker. */
  readonly passOnAtMs: number;
  passOn(nowMs: number): void;
  /** Under a new worker id nothing is announced yet. */
  workerChanged(): void;
}
