import type { Language } from "./languages.ts";
import type { PageText } from "./page-text.ts";
import type { RefusalCode } from "./reading-errors.ts";
import type { ReadingLimits } from "./reading-limits.ts";

/** What the worker asks of the reading process. One process does one task. */
export type ReadingTask =
  | { readonly task: "inspect"; readonly file: string; readonly limits: ReadingLimits }
  | {
      readonly task: "read";
      readonly file: string;
      /** Where page images for a model are put. */
      readonly folder: string;
      readonly limits: ReadingLimits;
      readonly pagesAtOnce: number;
      readonly donePages: readonly number[];
      readonly wantsImages: boolean;
      /** To read in; null: each page in the language that it turns out to be in. */
      readonly language: Language | null;
    }
  | {
      readonly task: "draw";
      readonly file: string;
      readonly limits: ReadingLimits;
      readonly page: number;
      readonly dpi: number;
      /** The picture is written there, as PNG. */
      readonly outputFile: string;
    }
  | {
      readonly task: "unlock";
      readonly file: string;
      readonly limits: ReadingLimits;
      readonly password: string;
      /** The document without a password is written there. */
      readonly outputFile: string;
    }
  | {
      readonly task: "build";
      readonly file: string;
      readonly limits: ReadingLimits;
      /** Only those that need a text layer, or to be turned upright. */
      readonly pages: readonly PageText[];
      /** The searchable PDF is written there. */
      readonly outputFile: string;
    };

/** What the reading process says. The last message is "done", "refused" or "failed". */
export type ReadingMessage =
  | { readonly kind: "pages"; readonly count: number }
  | { readonly kind: "page-started"; readonly page: number }
  | { readonly kind: "page"; readonly page: PageText; readonly imageFile: string | null }
  | { readonly kind: "done" }
  | { readonly kind: "refused"; readonly code: RefusalCode; readonly message: string }
  | { readonly kind: "failed"; readonly message: string };
