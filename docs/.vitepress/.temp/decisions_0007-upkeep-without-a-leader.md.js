import { t as _plugin_vue_export_helper_default } from "./plugin-vue_export-helper.DjkACiAr.js";
import { useSSRContext } from "vue";
import { ssrRenderAttrs } from "vue/server-renderer";
// docs/decisions/0007-upkeep-without-a-leader.md
var __pageData = JSON.parse("{\"title\":\"0007 Upkeep without a leader\",\"description\":\"\",\"frontmatter\":{},\"headers\":[],\"relativePath\":\"decisions/0007-upkeep-without-a-leader.md\",\"filePath\":\"decisions/0007-upkeep-without-a-leader.md\"}");
var _sfc_main = { name: "decisions/0007-upkeep-without-a-leader.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
	_push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0007-upkeep-without-a-leader" tabindex="-1">0007 Upkeep without a leader <a class="header-anchor" href="#0007-upkeep-without-a-leader" aria-label="Permalink to “0007 Upkeep without a leader”">​</a></h1><p><strong>Context.</strong> Three tasks belong to the whole fleet: sweeping lost workers, folding counters, retention. If each of a hundred workers does them at every interval, they cost a hundred times what they should. A leader would need an election, a lease of its own, and somebody to notice that it hangs.</p><p><strong>Choice.</strong> The table <code>upkeep</code> has one row per task with the time it was last done. The worker that has swept comes back after the interval. The others leave it alone until it is late by a fifth of the interval. So one worker keeps doing it while it lives, though it has no special right to. Its statements are already planned; another worker would spend ten milliseconds planning a sweep that finds nothing. If it has died, the next heartbeat of any worker says that the upkeep is due, and that worker sweeps and keeps doing it. The other workers check after as many intervals as there are live workers, at the latest after two minutes, to learn how many there are.</p><p><code>take_upkeep</code> locks the row with <code>skip locked</code>. Only if the interval is over does it set the time and let the caller go on. The work and the mark are one transaction.</p><p><strong>Consequence.</strong> Each task runs about once per interval over the fleet, mostly by the same worker. A new one is found within a heartbeat and the interval, long before the lease of the old one is over. If its transaction fails, the mark is rolled back and the next worker does it. Two at once are harmless: every statement re-checks its conditions under row locks, so <code>reset_stalled_jobs</code> may sweep at any time without asking. With no worker running there is no upkeep, and nothing to sweep for.</p></div>`);
}
var _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
	const ssrContext = useSSRContext();
	(ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0007-upkeep-without-a-leader.md");
	return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
var _0007_upkeep_without_a_leader_default = /*#__PURE__*/ _plugin_vue_export_helper_default(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export { __pageData, _0007_upkeep_without_a_leader_default as default };
