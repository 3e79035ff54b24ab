import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { CliError, usageError } from "../errors/cli-error.ts";
import type { Io } from "../session/io.ts";

export interface GivenPayload {
  readonly payload: unknown;
  /** How much of the input has been read; null where its length is not known. */
  readonly share: number | null;
}

interface Source {
  readonly name: string;
  readonly chunks: AsyncIterable<Uint8Array | string>;
  readonly bytes: number | null;
}

/**
 * The payloads that a word stands for: JSON itself, "-" for stdin, "@file" for a file. A value on each line is a payload
 * each; a document over several lines is one payload, or with `isEach` a list of them.
 */
export async function* readPayloads(
  word: string | undefined,
  { isEach }: { readonly isEach: boolean },
  io: Pick<Io, "stdin" | "cwd">,
): AsyncGenerator<GivenPayload, void, undefined> {
  if (word === undefined) {
    yield { payload: null, share: null };
  } else if (word === "-") {
    yield* readSource({ name: "stdin", chunks: io.stdin, bytes: null }, isEach);
  } else if (word.startsWith("@")) {
    yield* readSource(await fileSource(word.slice(1), io.cwd), isEach);
  } else {
    yield* valuesOf(parsed(word, "The payload"), isEach, "The payload");
  }
}

async function fileSource(path: string, folder: string): Promise<Source> {
  const file = resolve(folder, path);
  try {
    const { size } = await stat(file);
    return { name: path, chunks: createReadStream(file), bytes: size };
  } catch (cause) {
    throw new CliError({
      exit: "usage",
      code: "payload.unreadable",
      message: `The file ${path} cannot be read.`,
      why: (cause as Error).message,
      cause,
    });
  }
}

async function* readSource(source: Source, isEach: boolean): AsyncGenerator<GivenPayload, void, undefined> {
  // Lines until one is no value by itself: then all of it is one document.
  let document: string[] | null = isEach ? [] : null;
  let line = 0;
  for await (const { text, share } of linesOf(source)) {
    line += 1;
    if (document !== null) {
      document.push(text);
    } else if (text.trim() !== "") {
      const value = tryParse(text);
      if (value !== undefined) yield { payload: value, share };
      else if (line === 1) document = [text];
      else throw notJson(`Line ${line} of ${source.name}`, text);
    }
  }
  if (document !== null) {
    const text = document.join("\n");
    if (text.trim() === "") return;
    yield* valuesOf(parsed(text, source.name), isEach, source.name);
  }
}

function* valuesOf(value: unknown, isEach: boolean, name: string): Generator<GivenPayload, void, undefined> {
  if (!isEach) {
    yield { payload: value, share: null };
    return;
  }
  if (!Array.isArray(value))
    throw usageError(`${name} is not an array, so --each has nothing to go through.`);
  for (const [index, payload] of value.entries()) yield { payload, share: (index + 1) / value.length };
}

async function* linesOf({
  chunks,
  bytes,
}: Source): AsyncGenerator<{ text: string; share: number | null }, void, undefined> {
  const decoder = new TextDecoder();
  let rest = "";
  let readBytes = 0;
  const share = () => (bytes === null || bytes === 0 ? null : Math.min(1, readBytes / bytes));
  for await (const chunk of chunks) {
    readBytes += chunk.length;
    const lines = (
      rest + (typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true }))
    ).split("\n");
    rest = lines.pop() ?? "";
    for (const text of lines) yield { text, share: share() };
  }
  if (rest !== "") yield { text: rest, share: share() };
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function parsed(text: string, name: string): unknown {
  const value = tryParse(text);
  if (value === undefined) throw notJson(name, text);
  return value;
}

function notJson(name: string, text: string): CliError {
  let why = "";
  try {
    JSON.parse(text);
  } catch (error) {
    why = (error as Error).message;
  }
  return new CliError({
    exit: "usage",
    code: "payload.invalid",
    message: `${name} is not JSON.`,
    why,
    advice: `Quote it for the shell: lockstep jobs add PIPELINE '{"site": "example.org"}', or give - or @file.`,
  });
}
