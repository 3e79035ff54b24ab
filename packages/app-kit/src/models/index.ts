export { askModel, type Question } from "./ask-model.ts";
export { languageModel, type ModelAddress } from "./language-model.ts";
