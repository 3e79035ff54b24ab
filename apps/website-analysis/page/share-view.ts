import { element } from "@lockstep/app-kit/page/element";
import { analysisApi, type OwnAnalysis } from "./analysis-api.ts";

/** Sharing one report by a link, and taking it back. */
export function shareView({ id, share }: Pick<OwnAnalysis, "id" | "share">): HTMLElement {
  const place = element("section", { class: "panel", "data-part": "share" });
  const draw = (token: string | null) => {
    place.replaceChildren(
      element("h2", {}, "Share"),
      ...(token === null ? [offer()] : [shared(`${location.origin}/#/shared/${token}`)]),
    );
  };
  const act = (button: HTMLButtonElement, run: () => Promise<{ share: string | null }>) => {
    button.disabled = true;
    run().then(
      ({ share: token }) => draw(token),
      (error: unknown) => {
        button.disabled = false;
        place.append(element("p", { class: "trouble", role: "alert" }, String(error)));
      },
    );
  };
  const offer = () => {
    const button = element("button", { type: "button" }, "Make a link");
    button.onclick = () => act(button, () => analysisApi.share(id));
    const text = "Whoever has the link can read this report and nothing else, until you take it back.";
    return element("div", { class: "row" }, button, element("p", { class: "quiet" }, text));
  };
  const shared = (link: string) => {
    const field = element("input", { type: "text", id: "share-link", readonly: "", value: link });
    const copy = element("button", { type: "button" }, "Copy");
    copy.onclick = () => {
      field.select();
      navigator.clipboard.writeText(link).then(
        () => copy.replaceChildren("Copied"),
        () => {},
      );
    };
    const back = element("button", { type: "button" }, "Take the link back");
    back.onclick = () => act(back, () => analysisApi.takeBack(id));
    return element(
      "div",
      { class: "share" },
      element("label", { for: "share-link" }, "Link to this report"),
      field,
      copy,
      back,
    );
  };
  draw(share);
  return place;
}
