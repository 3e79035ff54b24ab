import { askModel as ask, languageModel, type Question as ModelQuestion } from "@lockstep/app-kit/models";
import { z } from "zod";

export interface ModelSettings {
  readonly name: string;
  readonly apiKey: string;
  /** Null: Google itself. */
  readonly baseUrl: string | null;
  readonly timeoutMs: number;
}

export interface Question {
  readonly system: string;
  readonly content: ModelQuestion<z.ZodType>["content"];
  /** What it is about, for the message when it fails. */
  readonly about: string;
  readonly signal: AbortSignal;
}

const answer = z.object({ text: z.string() });

/** Asks Gemini for a text. */
export async function askModel(
  { name, apiKey, baseUrl, timeoutMs }: ModelSettings,
  { system, content, about, signal }: Question,
): Promise<string> {
  const { text } = await ask({
    model: languageModel({ provider: "google", name, apiKey, baseUrl }),
    system,
    content,
    schema: answer,
    schemaName: "page",
    temperature: 0,
    timeoutMs,
    signal,
    about,
    settings: "OCR_MODEL_NAME and GOOGLE_GENERATIVE_AI_API_KEY",
  });
  return plainText(text);
}

/** No control characters and no broken pairs; lines stay lines. */
function plainText(text: string): string {
  return (
    text
      .replace(/\r\n?/g, "\n")
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out.
      .replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b\ufeff]/g, " ")
      .toWellFormed()
      .trim()
  );
}
