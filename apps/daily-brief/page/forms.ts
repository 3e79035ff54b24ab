type Field = HTMLInputElement | HTMLSelectElement;

/** The field of this name. */
export function fieldIn(form: HTMLFormElement, name: string): Field {
  const found = form.elements.namedItem(name);
  if (found instanceof HTMLInputElement || found instanceof HTMLSelectElement) return found;
  throw new Error(`The form "${form.id}" has no field "${name}".`);
}

export function valueIn(form: HTMLFormElement, name: string): string {
  return fieldIn(form, name).value;
}

export function fill(form: HTMLFormElement, values: Readonly<Record<string, string | boolean>>): void {
  for (const [name, value] of Object.entries(values)) {
    const field = fieldIn(form, name);
    if (typeof value === "string") field.value = value;
    else if (field instanceof HTMLInputElement) field.checked = value;
  }
}

/** Runs it when the form is sent, once at a time. */
export function onSubmit(form: HTMLFormElement, run: () => Promise<void>): void {
  let isRunning = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (isRunning) return;
    isRunning = true;
    await run().finally(() => {
      isRunning = false;
    });
  });
}
