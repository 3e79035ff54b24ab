/** What a handler has written for others to follow: see docs/streams.md. */
export interface ModelStream {
  /** Of the attempt that wrote last. */
  token: string;
  /** How many chunks were ever written, with those that were cut off since. */
  lastEntry: number;
  texts: string[];
  /** The stages that wrote, each with the number of chunks before its first one. */
  sections: readonly { readonly stage: number; readonly start: number }[];
  readonly begunAtMs: number;
}

export interface Written {
  readonly answer: string;
  readonly lastEntry: number | null;
}

export interface Continued extends Written {
  readonly texts: readonly string[] | null;
}

export const newStream = (begunAtMs: number): ModelStream => ({
  token: "",
  lastEntry: 0,
  texts: [],
  sections: [],
  begunAtMs,
});

/** A write of the holder. The first one of an attempt cuts off what earlier attempts of its stage wrote, and what later stages did. */
export function write(
  stream: ModelStream,
  { stage, token }: { stage: number; token: string },
  after: number | null,
  texts: readonly string[],
): Written {
  const { lastEntry } = stream;
  const isFirst = stream.token !== token;
  if (!isFirst && (after === null || lastEntry === after + texts.length))
    return { answer: "already_applied", lastEntry };
  if (after !== (isFirst ? null : lastEntry))
    return { answer: "out_of_step", lastEntry: lastEntry > 0 ? lastEntry : null };
  if (isFirst) takeOver(stream, { stage, token }, startOf(stream, stage));
  stream.texts.push(...texts);
  stream.lastEntry += texts.length;
  return { answer: "applied", lastEntry: stream.lastEntry };
}

/** The holder goes on with what earlier attempts of its stage wrote. */
export function goOn(stream: ModelStream, { stage, token }: { stage: number; token: string }): Continued {
  const start = startOf(stream, stage);
  const section = stream.sections[sectionOf(stream, stage)];
  if (stream.token !== token) {
    const next = stream.sections[sectionOf(stream, stage) + 1];
    takeOver(
      stream,
      { stage, token },
      section?.stage === stage ? (next?.start ?? stream.texts.length) : start,
    );
  }
  return { answer: "applied", lastEntry: stream.lastEntry, texts: stream.texts.slice(start) };
}

/** From here on the stream is this attempt's, which has kept so much of it. */
function takeOver(
  stream: ModelStream,
  { stage, token }: { stage: number; token: string },
  kept: number,
): void {
  const start = startOf(stream, stage);
  stream.sections = [...stream.sections.slice(0, sectionOf(stream, stage)), { stage, start }];
  stream.token = token;
  stream.texts = stream.texts.slice(0, kept);
}

function sectionOf({ sections }: ModelStream, stage: number): number {
  const index = sections.findIndex((section) => section.stage >= stage);
  return index < 0 ? sections.length : index;
}

const startOf = (stream: ModelStream, stage: number) =>
  stream.sections[sectionOf(stream, stage)]?.start ?? stream.texts.length;
