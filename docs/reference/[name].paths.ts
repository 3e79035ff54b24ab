import { readReference, referenceName } from "../../scripts/docs/reference/reference-packages.ts";
import { referencePage } from "../../scripts/docs/reference/reference-page.ts";

export default {
  /** A page for each package, made when the site is. */
  async paths() {
    const reference = await readReference();
    return [...reference].map(([packageName, exports]) => ({
      params: { name: referenceName(packageName) },
      content: referencePage(packageName, exports),
    }));
  },
};
