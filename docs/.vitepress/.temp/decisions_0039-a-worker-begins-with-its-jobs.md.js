import { t as _plugin_vue_export_helper_default } from "./plugin-vue_export-helper.DjkACiAr.js";
import { useSSRContext } from "vue";
import { ssrRenderAttrs } from "vue/server-renderer";
// docs/decisions/0039-a-worker-begins-with-its-jobs.md
var __pageData = JSON.parse("{\"title\":\"0039 A worker begins with its jobs\",\"description\":\"\",\"frontmatter\":{},\"headers\":[],\"relativePath\":\"decisions/0039-a-worker-begins-with-its-jobs.md\",\"filePath\":\"decisions/0039-a-worker-begins-with-its-jobs.md\"}");
var _sfc_main = { name: "decisions/0039-a-worker-begins-with-its-jobs.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
	_push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0039-a-worker-begins-with-its-jobs" tabindex="-1">0039 A worker begins with its jobs <a class="header-anchor" href="#0039-a-worker-begins-with-its-jobs" aria-label="Permalink to “0039 A worker begins with its jobs”">​</a></h1><p><strong>Superseded in part:</strong> the heartbeat&#39;s thread begins before the worker is registered (<a href="./0041-a-worker-starts-beside-its-database">0041</a>). The rest is in force.</p><p><strong>Context.</strong> Of a drain of 25,000 jobs the first 5,000 took twice as long as any other 5,000. A starting worker did everything at once, on two cores. It claimed. It opened connections for the upkeep, the schedules and the cancel requests, each of which planned its statements. And its heartbeat thread loaded the driver (50 ms of CPU) to renew a lease that was a few milliseconds old. The call that settles and claims went to whichever connection was free, so that three or four of them planned it.</p><p><strong>Choice.</strong> Jobs come first. Upkeep and schedules begin a second after the start. The heartbeat&#39;s thread begins at once, since a handler may block the process from its first line. But it loads the driver and renews the lease a second later, or after a third of its interval if that is sooner. A worker that holds nothing does not ask for cancel requests when it begins to listen; the first heartbeat reports those of the jobs that it claims meanwhile.</p><p><strong>Considered.</strong> Starting the thread itself a second later would save as much again. But a first handler that never yields would then keep the main thread from starting it, and the worker would lose its lease.</p><p><strong>Consequence.</strong> 5,000 jobs are done after 196 and 223 ms instead of 259 and 269, 25,000 after 664 and 766 ms instead of 726 and 839 (medians of nine pairs, twice). In a short drain, two workers that start together do 1.5 times what they did before, and four 1.3 times. A worker that starts after all others have died takes their jobs back a second later than it could, and a tick that is due when it starts is fired a second late.</p></div>`);
}
var _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
	const ssrContext = useSSRContext();
	(ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0039-a-worker-begins-with-its-jobs.md");
	return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
var _0039_a_worker_begins_with_its_jobs_default = /*#__PURE__*/ _plugin_vue_export_helper_default(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export { __pageData, _0039_a_worker_begins_with_its_jobs_default as default };
