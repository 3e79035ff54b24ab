import { t as _plugin_vue_export_helper_default } from "./plugin-vue_export-helper.DjkACiAr.js";
import { useSSRContext } from "vue";
import { ssrRenderAttrs } from "vue/server-renderer";
// docs/decisions/0003-lost-claim-replies.md
var __pageData = JSON.parse("{\"title\":\"0003 A worker in doubt asks what it holds\",\"description\":\"\",\"frontmatter\":{},\"headers\":[],\"relativePath\":\"decisions/0003-lost-claim-replies.md\",\"filePath\":\"decisions/0003-lost-claim-replies.md\"}");
var _sfc_main = { name: "decisions/0003-lost-claim-replies.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
	_push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0003-a-worker-in-doubt-asks-what-it-holds" tabindex="-1">0003 A worker in doubt asks what it holds <a class="header-anchor" href="#0003-a-worker-in-doubt-asks-what-it-holds" aria-label="Permalink to “0003 A worker in doubt asks what it holds”">​</a></h1><p><strong>Context.</strong> The connection can break after a claim has committed and before its reply arrives. The jobs are then held by a live worker that does not know of them, under a lease that it keeps renewing: nothing would ever free them. The simplest safe way is that every heartbeat returns all jobs that the worker holds. But that reads the index of held jobs, and under load this index is full of dead entries: each job enters and leaves it within milliseconds.</p><p><strong>Choice.</strong> A call with an unknown outcome puts the worker in doubt. From then on its heartbeats ask (<code>p_in_doubt</code>) for what it holds by claims older than 20 s. That is longer than any call lasts (15 s), so that no reply can still be under way. The worker releases the jobs that the process does not know; their attempts do not count. The doubt ends with a heartbeat sent 25 s or more after it began.</p><p><strong>Consequence.</strong> Normally a heartbeat is one small update. Jobs of a lost reply are back within 20 s and one heartbeat. Each lost reply costs a few scans of that index. Settles need none of this: they are sent again and recognised by their token.</p></div>`);
}
var _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
	const ssrContext = useSSRContext();
	(ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0003-lost-claim-replies.md");
	return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
var _0003_lost_claim_replies_default = /*#__PURE__*/ _plugin_vue_export_helper_default(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export { __pageData, _0003_lost_claim_replies_default as default };
