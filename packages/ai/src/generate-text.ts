import { generateText as ask } from "ai";
import { checkedEnd, type GeneratedText } from "./generated.ts";
import { aboutOf, type ModelCallContext, type ModelCallOptions, modelCall } from "./model-call.ts";
import { modelUsageOf } from "./model-usage.ts";
import { type GenerateSettings, sdkSettings } from "./text-options.ts";

/** What `generateText` takes: a key, and what the AI SDK's own takes. */
export type GenerateTextOptions = ModelCallOptions & GenerateSettings;

/** Asks a model inside a stage. The answer is kept: a retry of the job gets it without asking, or paying, again. */
export function generateText(
  context: ModelCallContext,
  options: GenerateTextOptions,
): Promise<GeneratedText> {
  return modelCall(context, options, async (told) => {
    const result = await ask({ ...sdkSettings(options), ...told } as Parameters<typeof ask>[0]);
    const usage = modelUsageOf(result.totalUsage);
    checkedEnd(aboutOf(options), result.finishReason, usage);
    return {
      text: result.text,
      toolCalls: result.toolCalls.map(({ toolCallId, toolName, input }) => ({ toolCallId, toolName, input })),
      finishReason: result.finishReason,
      usage,
      modelId: result.response.modelId,
    };
  });
}
