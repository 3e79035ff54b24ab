import { t as _plugin_vue_export_helper_default } from "./plugin-vue_export-helper.DjkACiAr.js";
import { useSSRContext } from "vue";
import { ssrRenderAttrs } from "vue/server-renderer";
// docs/decisions/0033-a-bound-for-all-stages-of-a-worker.md
var __pageData = JSON.parse("{\"title\":\"0033 A bound for all stages of a worker\",\"description\":\"\",\"frontmatter\":{},\"headers\":[],\"relativePath\":\"decisions/0033-a-bound-for-all-stages-of-a-worker.md\",\"filePath\":\"decisions/0033-a-bound-for-all-stages-of-a-worker.md\"}");
var _sfc_main = { name: "decisions/0033-a-bound-for-all-stages-of-a-worker.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
	_push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0033-a-bound-for-all-stages-of-a-worker" tabindex="-1">0033 A bound for all stages of a worker <a class="header-anchor" href="#0033-a-bound-for-all-stages-of-a-worker" aria-label="Permalink to “0033 A bound for all stages of a worker”">​</a></h1><p><strong>Context.</strong> Each stage has its own processors, and all of them work at the same time. Where a job fills a core or half a gibibyte, as reading a document does, a worker with three stages took three times what one was meant to take. A second worker on a machine of two cores saved a third of the time instead of half, and the memory of a fleet could not be predicted from the number of workers.</p><p><strong>Choice.</strong> <code>jobsAtOnce</code> bounds what a worker has at a time: running, waiting in it and asked for, over all stages together. What it keeps from the stage before comes first, so that with a bound of 1 a job goes through all its stages before the next begins. What is left goes to the stages in turn. The database cannot be asked for &quot;one job of any of these&quot;: a call names a room for each stage, and jobs beyond the bound would have to be given back. Only when every stage had its turn and nothing was found does the worker go to sleep, for all stages that it asked for.</p><p><strong>Consequence.</strong> Before it sleeps, an idle worker with a small bound makes as many calls as it has stages. With the default, no bound, it makes exactly one, as before. Under a bound there is no claiming ahead, on which short jobs depend for their speed. The workers of <code>apps/document-ocr</code> have one document at a time.</p></div>`);
}
var _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
	const ssrContext = useSSRContext();
	(ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0033-a-bound-for-all-stages-of-a-worker.md");
	return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
var _0033_a_bound_for_all_stages_of_a_worker_default = /*#__PURE__*/ _plugin_vue_export_helper_default(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export { __pageData, _0033_a_bound_for_all_stages_of_a_worker_default as default };
