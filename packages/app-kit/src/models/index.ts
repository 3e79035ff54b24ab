export { type Asked, askModel, type Question } from "./ask-model.ts";
export { languageModel, type ModelAddress } from "./language-model.ts";
export { ModelAnswerError, type QuestionWords, questionAbout } from "./model-error.ts";
