import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { generateText, Output, type UserContent } from "ai";
import { z } from "zod";
import { modelErrorOf } from "./model-error.ts";

export interface ModelSettings {
  readonly name: string;
  readonly apiKey: string;
  /** Null: Google itself. */
  readonly baseUrl: string | null;
  readonly timeoutMs: number;
}

export interface Question {
  readonly system: string;
  readonly content: UserContent;
  /** What it is about, for the message when it fails. */
  readonly about: string;
  readonly signal: AbortSignal;
}

const answer = z.object({ text: z.string() });

/** Asks Gemini for a text. The engine retries, so nothing here does. */
export async function askModel(
  { name, apiKey, baseUrl, timeoutMs }: ModelSettings,
  { system, content, about, signal }: Question,
): Promise<string> {
  const google = createGoogleGenerativeAI({ apiKey, ...(baseUrl === null ? {} : { baseURL: baseUrl }) });
  const deadline = AbortSignal.timeout(timeoutMs);
  try {
    const { output } = await generateText({
      model: google(name),
      system,
      messages: [{ role: "user", content }],
      output: Output.object({ schema: answer, name: "page" }),
      temperature: 0,
      maxRetries: 0,
      abortSignal: AbortSignal.any([signal, deadline]),
    });
    return plainText(output.text);
  } catch (error) {
    signal.throwIfAborted();
    throw modelErrorOf(error, about, deadline.aborted ? timeoutMs : null);
  }
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
