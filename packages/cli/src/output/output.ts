import type { CliConfig, OutputFormat } from "../session/cli-config.ts";
import type { Io } from "../session/io.ts";
import { makePaint, type Paint } from "./paint.ts";
import { plainText } from "./plain-text.ts";
import { type Column, tableLines } from "./table.ts";

/** Data on stdout in the format that was asked for, talk on stderr. */
export class Output {
  readonly format: OutputFormat;
  /** Colours for what is printed for people on stdout. */
  readonly paint: Paint;
  /** The same for stderr. */
  readonly talkPaint: Paint;
  /** Whether a person reads stdout: icons, widths and relative times are for them. */
  readonly isForPeople: boolean;
  readonly #io: Io;
  readonly #talk: CliConfig["talk"];

  constructor(io: Io, config: Pick<CliConfig, "format" | "talk" | "hasColor">) {
    this.format = config.format;
    this.paint = makePaint(config.hasColor.stdout);
    this.talkPaint = makePaint(config.hasColor.stderr);
    this.isForPeople = config.format === "text" && io.stdout.isTTY;
    this.#io = io;
    this.#talk = config.talk;
  }

  /** One thing: its lines for people, or the value as JSON. */
  async record(value: unknown, lines: () => readonly string[]): Promise<void> {
    if (this.format === "text") await this.lines(lines());
    else if (this.format === "json") await this.#write(`${JSON.stringify(value, null, 2)}\n`);
    else await this.#write(`${JSON.stringify(value)}\n`);
  }

  /** Many of a kind: a table; `{ data, …more }` as one document; or one row a line. */
  async list<Row>(
    rows: readonly Row[],
    columns: readonly Column<Row>[],
    more: { readonly document?: object; readonly none?: string } = {},
  ): Promise<void> {
    if (this.format === "json") {
      await this.#write(`${JSON.stringify({ data: rows, ...more.document }, null, 2)}\n`);
    } else if (this.format === "jsonl") {
      await this.#write(rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
    } else {
      if (rows.length === 0 && more.none !== undefined) this.note(more.none);
      else await this.lines(this.table(rows, columns));
    }
  }

  /** One value of a stream: a line for people, or a line of JSON. */
  async line(text: () => string, value: unknown): Promise<void> {
    await this.#write(`${this.format === "text" ? text() : JSON.stringify(value)}\n`);
  }

  /** Lines as they are. */
  async lines(lines: readonly string[]): Promise<void> {
    if (lines.length > 0) await this.#write(`${lines.join("\n")}\n`);
  }

  table<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string[] {
    return tableLines(rows, columns, {
      width: this.isForPeople ? (this.#io.stdout.columns ?? 80) : null,
      hasTitles: this.#talk !== "quiet",
      paintTitle: this.paint.dim,
    });
  }

  /** Talk that -q leaves out. */
  note(text: string): void {
    if (this.#talk !== "quiet") this.#say(text);
  }

  /** Talk that only -v and --debug want. */
  detail(text: string): void {
    if (this.#talk === "verbose" || this.#talk === "debug") this.#say(this.talkPaint.dim(text));
  }

  warn(text: string): void {
    this.#say(`${this.talkPaint.yellow("warning")}  ${text}`);
  }

  /** Lines on stderr that nothing leaves out. */
  error(lines: readonly string[]): void {
    this.#say(lines.join("\n"));
  }

  /** The contents of a job come from others and must not control the terminal. */
  safe(text: string): string {
    return plainText(text);
  }

  #say(text: string): void {
    // Nothing waits for messages on stderr; a closed stream drops them.
    void this.#io.stderr.write(`${text}\n`);
  }

  #write(text: string): Promise<void> {
    return text === "" ? Promise.resolve() : this.#io.stdout.write(text);
  }
}
