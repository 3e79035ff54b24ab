/** A page that needs nothing but itself and one small file of styles. */
export function page({
  title,
  body,
  refreshSeconds,
}: {
  title: string;
  body: string;
  refreshSeconds?: number;
}): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${refreshSeconds === undefined ? "" : `<meta http-equiv="refresh" content="${refreshSeconds}">\n`}<title>${escaped(title)}</title>
<link rel="stylesheet" href="%base%/page.css">
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
${body}
</main>
</body>
</html>
`;
}

export function escaped(text: string): string {
  const entities: Record<string, string> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "'": "&#39;",
  };
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

export const pageStyles = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0; }
main { max-width: 42rem; margin: 12vh auto 0; padding: 0 1.5rem; }
h1 { font-size: 1.4rem; }
h2 { font-size: 1.05rem; margin: 1.5rem 0 0.5rem; }
code, pre { overflow-wrap: anywhere; white-space: pre-wrap; }
code { background: color-mix(in srgb, currentColor 10%, transparent); padding: 0.1em 0.3em; border-radius: 0.2em; }
.shown { border: 1px solid color-mix(in srgb, currentColor 25%, transparent); border-radius: 0.5rem; padding: 0 1rem 1rem; overflow-wrap: anywhere; }
.shown p { margin: 0; white-space: pre-wrap; }
dl { margin: 0; }
dl div { display: grid; grid-template-columns: minmax(6rem, 30%) 1fr; gap: 0 1rem; padding: 0.3rem 0; }
dt, form p { color: color-mix(in srgb, currentColor 75%, transparent); }
dd { margin: 0; }
form p { margin: 0.2rem 0; }
form p.complaint { color: light-dark(#b3261e, #ffb4ab); font-weight: 600; }
.field, fieldset { margin: 0 0 1rem; }
fieldset { border: 0; padding: 0; }
fieldset fieldset, fieldset .field { margin-inline-start: 1rem; }
label, legend { display: block; font-weight: 600; padding: 0; }
.choice { font-weight: 400; min-height: 2rem; display: flex; align-items: center; gap: 0.6rem; }
.choice input { width: 1.2rem; height: 1.2rem; }
input, textarea, button { font: inherit; color: inherit; box-sizing: border-box; }
input:not([type="radio"]), textarea { width: 100%; padding: 0.5rem; margin-top: 0.2rem; border-radius: 0.4rem; border: 1px solid color-mix(in srgb, currentColor 60%, transparent); background: transparent; }
button { margin-top: 0.5rem; padding: 0.6rem 1.2rem; border-radius: 0.4rem; border: 0; background: #2447c9; color: #fff; font-weight: 600; cursor: pointer; }
:focus-visible { outline: 3px solid #6f8cff; outline-offset: 2px; }
@media (max-width: 30rem) { main { margin-top: 2rem; padding: 0 1rem; } dl div { grid-template-columns: 1fr; } }
`;
