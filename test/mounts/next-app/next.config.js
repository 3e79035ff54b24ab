// Plain JavaScript throughout: for TypeScript Next would write a tsconfig.json of its own into this folder.
export default { devIndicators: false };
