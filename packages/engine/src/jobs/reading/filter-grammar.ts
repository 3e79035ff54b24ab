import { didYouMean } from "../values/nearest-name.ts";
import { type FilterWord, filterWords } from "./filter-words.ts";
import type { JobStatus } from "./job.ts";
import { type JobFilter, JobFilterError, statusComplaint } from "./job-filter.ts";

/** What people may write before the colon; `payload.` goes on with a path. */
export const filterQualifiers = [
  "status",
  "pipeline",
  "stage",
  "owner",
  "groupKey",
  "dedupKey",
  "tag",
  "worker",
  "batch",
  "error",
  "since",
  "until",
  "id",
] as const;

type Filter = { -readonly [Name in keyof JobFilter]: JobFilter[Name] };
type Qualifier = (typeof filterQualifiers)[number];

const texts: Partial<
  Record<Qualifier, "pipeline" | "stage" | "owner" | "groupKey" | "dedupKey" | "tag" | "error">
> = {
  pipeline: "pipeline",
  stage: "stage",
  owner: "owner",
  groupKey: "groupKey",
  dedupKey: "dedupKey",
  tag: "tag",
  error: "error",
};

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const spanMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/**
 * A filter as people write it: `status:failed,cancelled pipeline:document-ocr since:24h payload.doc:"a b.pdf"`.
 * Throws a JobFilterError that names the word, its place and the nearest qualifier.
 */
export function parseJobFilter(text: string, now: Date): JobFilter {
  const filter: Filter = {};
  const given = new Set<string>();
  for (const word of filterWords(text)) {
    const name = word.qualifier;
    if (name === null) takeBareWord(filter, word);
    else if (name.startsWith("payload.")) takePayload(filter, name.slice("payload.".length), word);
    else {
      if (given.has(name)) refuse(word, `"${name}" is there twice; it can be given once.`);
      given.add(name);
      take(filter, name, word, now);
    }
  }
  return filter;
}

function take(filter: Filter, name: string, word: FilterWord, now: Date): void {
  if (word.value === "") refuse(word, `"${name}:" has no value.`);
  const plain = texts[name as Qualifier];
  if (plain !== undefined) {
    filter[plain] = word.value;
    return;
  }
  switch (name) {
    case "status":
      filter.statuses = word.value.split(",").map((status) => statusOf(status.trim(), word));
      break;
    case "worker":
      filter.workerId = idOf(word.value, word);
      break;
    case "batch":
      filter.batchId = idOf(word.value, word);
      break;
    case "id":
      filter.ids = [...(filter.ids ?? []), ...word.value.split(",").map((id) => idOf(id.trim(), word))];
      break;
    case "since":
      filter.addedAfter = instantOf(word, now);
      break;
    case "until":
      filter.addedBefore = instantOf(word, now);
      break;
    default:
      refuse(word, `Unknown qualifier "${name}".${didYouMean(name, [...filterQualifiers, "payload."])}`);
  }
}

/** An id may stand alone: it is what people paste. */
function takeBareWord(filter: Filter, word: FilterWord): void {
  if (uuid.test(word.value)) {
    filter.ids = [...(filter.ids ?? []), word.value.toLowerCase()];
    return;
  }
  refuse(
    word,
    `"${word.value}" does not say what it is of: write it as qualifier:value, such as tag:${/\s/.test(word.value) ? JSON.stringify(word.value) : word.value || "x"}.`,
  );
}

function takePayload(filter: Filter, path: string, word: FilterWord): void {
  const keys = path.split(".");
  if (keys.some((key) => key === "")) {
    refuse(word, 'The path after "payload." has an empty name; write it as payload.customer.id:7.');
  }
  const payload = (filter.payload ?? {}) as Record<string, unknown>;
  let inner = payload;
  for (const [index, key] of keys.entries()) {
    const isLast = index === keys.length - 1;
    const there = Object.hasOwn(inner, key) ? inner[key] : undefined;
    if (isLast ? there !== undefined : there !== undefined && !isPlace(there)) {
      refuse(word, `"payload.${path}" contradicts what was given before it.`);
    }
    // As an own property, whatever its name is.
    Object.defineProperty(inner, key, {
      value: isLast ? payloadValueOf(word) : (there ?? {}),
      enumerable: true,
      writable: true,
      configurable: true,
    });
    if (!isLast) inner = inner[key] as Record<string, unknown>;
  }
  filter.payload = payload;
}

/** Bare numbers, true, false and null are what they look like; in quotes everything is a text. */
function payloadValueOf({ value, isQuoted }: FilterWord): unknown {
  if (isQuoted) return value;
  if (value === "true") return true;
  if (value === "false") return false;
  if (value === "null") return null;
  return /^-?(0|[1-9]\d{0,14})(\.\d{1,15})?$/.test(value) ? Number(value) : value;
}

function statusOf(status: string, word: FilterWord): JobStatus {
  const complaint = statusComplaint(status);
  if (complaint !== null) refuse(word, complaint);
  return status as JobStatus;
}

function idOf(value: string, word: FilterWord): string {
  if (!uuid.test(value)) refuse(word, `"${value}" is not a UUID.`);
  return value.toLowerCase();
}

function instantOf(word: FilterWord, now: Date): Date {
  const span = /^(\d{1,6})([smhdw])$/.exec(word.value);
  if (span !== null) {
    return new Date(now.getTime() - Number(span[1]) * spanMs[span[2] as keyof typeof spanMs]);
  }
  const isWritten = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?(Z|[+-]\d{2}:?\d{2})?)?$/.test(
    word.value,
  );
  // Without a zone a time would mean another instant on every machine.
  const hasZone = !word.value.includes("T") || /(Z|[+-]\d{2}:?\d{2})$/.test(word.value);
  const instant = new Date(hasZone ? word.value : `${word.value}Z`);
  if (!isWritten || Number.isNaN(instant.getTime())) {
    refuse(
      word,
      `"${word.value}" is no time: write a span such as 30m, 24h or 7d, or an instant such as 2026-03-01 or 2026-03-01T12:00Z.`,
    );
  }
  return instant;
}

function isPlace(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function refuse(word: FilterWord, sentence: string): never {
  throw new JobFilterError(`${sentence} (at character ${word.at} of the filter)`, {
    word: word.text,
    at: word.at,
  });
}
