import { t as _plugin_vue_export_helper_default } from "./plugin-vue_export-helper.DjkACiAr.js";
import { useSSRContext } from "vue";
import { ssrRenderAttrs } from "vue/server-renderer";
// docs/moving-from/README.md
var __pageData = JSON.parse("{\"title\":\"Moving from another queue\",\"description\":\"\",\"frontmatter\":{},\"headers\":[],\"relativePath\":\"moving-from/index.md\",\"filePath\":\"moving-from/README.md\"}");
var _sfc_main = { name: "moving-from/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
	_push(`<div${ssrRenderAttrs(_attrs)}><h1 id="moving-from-another-queue" tabindex="-1">Moving from another queue <a class="header-anchor" href="#moving-from-another-queue" aria-label="Permalink to “Moving from another queue”">​</a></h1><p>One kind of job at a time, with both queues side by side. Each page maps the words and shows the same code twice.</p><table tabindex="0"><thead><tr><th>page</th><th>for</th></tr></thead><tbody><tr><td><a href="./pg-boss">pg-boss.md</a></td><td>queues, <code>send</code>, <code>work</code>, <code>schedule</code></td></tr><tr><td><a href="./graphile-worker">graphile-worker.md</a></td><td>tasks, <code>addJob</code>, job keys, crontabs</td></tr><tr><td><a href="./bullmq">bullmq.md</a></td><td>queues on Redis, workers, flows, job schedulers</td></tr><tr><td><a href="./plain-tables">plain-tables.md</a></td><td>a table with a status column, and a loop that claims it</td></tr></tbody></table><p>What waits in the old queue can be taken over: <code>lockstep import pg-boss</code>, <code>graphile-worker</code> or <code>bullmq</code> (<a href="./../cli#taking-over-from-another-queue">cli.md</a>).</p><p>Whether to move at all: <a href="./../comparison">comparison.md</a> also says where the others are better.</p></div>`);
}
var _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
	const ssrContext = useSSRContext();
	(ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("moving-from/README.md");
	return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
var README_default = /*#__PURE__*/ _plugin_vue_export_helper_default(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export { __pageData, README_default as default };
