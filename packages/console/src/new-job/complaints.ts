export function isAbout(pointer: string, part: string): boolean {
  return pointer === part || pointer.startsWith(`${part}/`);
}

/** Of a refusal, what is about a part of the body, by pointers into that part. */
export function complaintsAbout(refused: ReadonlyMap<string, string>, part: string): [string, string][] {
  return [...refused].flatMap(([pointer, detail]): [string, string][] =>
    isAbout(pointer, part) ? [[pointer.slice(part.length), detail]] : [],
  );
}

/** The first complaint is brought into view, and the field that it is about gets the focus. */
export function showComplaint(): void {
  document.querySelector<HTMLElement>("dialog [aria-invalid=true]")?.focus();
  document.querySelector("dialog [data-complaint]")?.scrollIntoView({ block: "center" });
}
