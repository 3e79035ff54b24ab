import { part } from "@lockstep/app-kit/page/element";

const linkMark = "#sign-in=";

/** Uses the link that brought somebody here, if one did; says what is wrong with it, or nothing. */
export async function followLink(): Promise<string | null> {
  if (!location.hash.startsWith(linkMark)) return null;
  const token = location.hash.slice(linkMark.length);
  // Out of the address, the history and whatever is copied from there.
  history.replaceState(null, "", location.pathname);
  return (await post("confirm", { token })).error ?? null;
}

/** Shows the form in which a link is asked for, in place of the page. */
export function showSignIn(): void {
  const form = part("sign-in", HTMLFormElement);
  const said = part("sign-in-said", HTMLParagraphElement);
  part("sign-in-page", HTMLElement).hidden = false;
  for (const id of ["page", "person-label", "bell"]) part(id, HTMLElement).hidden = true;
  form.onsubmit = (event) => {
    event.preventDefault();
    const email = part("sign-in-email", HTMLInputElement).value;
    post("", { email }).then(
      (answer) => {
        said.textContent = answer.said ?? answer.error ?? "";
      },
      (error: unknown) => {
        said.textContent = `The link could not be asked for: ${String(error)}`;
      },
    );
  };
}

export async function signOut(): Promise<void> {
  await post("end", {});
  location.assign(location.pathname);
}

async function post(name: string, body: object): Promise<{ said?: string; error?: string }> {
  const answer = await fetch(`/app/sign-in${name === "" ? "" : `/${name}`}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return answer.status === 204 ? {} : await answer.json();
}
