import { t as _plugin_vue_export_helper_default } from "./plugin-vue_export-helper.DjkACiAr.js";
import { useSSRContext } from "vue";
import { ssrRenderAttrs } from "vue/server-renderer";
// docs/decisions/0006-suspects-run-alone.md
var __pageData = JSON.parse("{\"title\":\"0006 Suspects run alone\",\"description\":\"\",\"frontmatter\":{},\"headers\":[],\"relativePath\":\"decisions/0006-suspects-run-alone.md\",\"filePath\":\"decisions/0006-suspects-run-alone.md\"}");
var _sfc_main = { name: "decisions/0006-suspects-run-alone.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
	_push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0006-suspects-run-alone" tabindex="-1">0006 Suspects run alone <a class="header-anchor" href="#0006-suspects-run-alone" aria-label="Permalink to “0006 Suspects run alone”">​</a></h1><p><strong>Context.</strong> The lease belongs to the worker, so when a worker dies all its jobs count a loss, also those that ran or waited beside the one that killed it. With a cap of three losses, three deaths would fail dozens of innocent jobs.</p><p><strong>Choice.</strong> A job that one more loss would end is a suspect. SQL enforces that it runs alone: it is in no ordinary claim, is given only to a worker that holds nothing, and while a worker holds one it claims nothing else. Only a suspect can be failed by a loss (unless the cap is 1). So that some worker becomes free under steady load, the live worker with the smallest id that serves the stage stops claiming and releases what has not started. This needs no vote and no state; if that worker dies, the next one takes over.</p><p><strong>Consequence.</strong> The poison job ends after three losses, and the bystanders complete. While suspects wait, one worker of the fleet works below its capacity. If all workers of a stage die at once for another reason (a bad deployment, twice), many suspects are left. They run one after the other on each free worker, until each has passed its stage.</p></div>`);
}
var _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
	const ssrContext = useSSRContext();
	(ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0006-suspects-run-alone.md");
	return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
var _0006_suspects_run_alone_default = /*#__PURE__*/ _plugin_vue_export_helper_default(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export { __pageData, _0006_suspects_run_alone_default as default };
