/** Puts a page's text right. */
export interface TextModel {
  /** The text as it should read; the caller checks what it may change. */
  improve(text: string, about: { readonly page: number; readonly signal: AbortSignal }): Promise<string>;
}
