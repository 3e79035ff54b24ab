/** Puts a page's text right. */
export interface TextModel {
  /** The text as it should read; what it may change is checked by whoever asks. */
  improve(text: string, about: { readonly page: number; readonly signal: AbortSignal }): Promise<string>;
}
