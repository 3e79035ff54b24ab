import { t as _plugin_vue_export_helper_default } from "./plugin-vue_export-helper.DjkACiAr.js";
import { useSSRContext } from "vue";
import { ssrRenderAttrs } from "vue/server-renderer";
// docs/decisions/0056-logs-travel-with-progress.md
var __pageData = JSON.parse("{\"title\":\"0056 Logs travel with progress\",\"description\":\"\",\"frontmatter\":{},\"headers\":[],\"relativePath\":\"decisions/0056-logs-travel-with-progress.md\",\"filePath\":\"decisions/0056-logs-travel-with-progress.md\"}");
var _sfc_main = { name: "decisions/0056-logs-travel-with-progress.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
	_push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0056-logs-travel-with-progress" tabindex="-1">0056 Logs travel with progress <a class="header-anchor" href="#0056-logs-travel-with-progress" aria-label="Permalink to “0056 Logs travel with progress”">​</a></h1><p><strong>Context.</strong> The log of an attempt was written with its end. Whoever looked at a job that had run for an hour saw nothing of its log. When a worker died, the log was lost, which is when it is needed most.</p><p><strong>Choice.</strong></p><ul><li>The kept lines of an attempt (at most some 16 KiB) are written as a whole to <code>jobs.log</code>, by the same call as progress and guarded by the same token: many jobs in one call, each at most once per <code>progressIntervalMs</code>, and only when there are new lines.</li><li>The first line waits an interval too, while the first progress is written at once. Most attempts end sooner, and their logs come with their end as before: they cost no additional write. If progress is written meanwhile, the lines go with it.</li><li>Every end of a claim empties the column. If the end brings no log of its own (a lost worker, a cancel by force, an end by SQL), what was in the column is kept with the attempt. No index mentions the column, so claims stay heap-only (<a href="./0035-claims-leave-the-indexes-alone">0035</a>).</li><li>Only <code>get_job</code> reads it, as the log of the running attempt. The stream tells screens nothing of it (<a href="./0026-what-a-screen-is-told">0026</a>); the console&#39;s page of a running job reads the job every two seconds, <code>jobs watch</code> at each of its looks.</li></ul><p><strong>Considered.</strong> Appending only new lines: less to send, but the row is rewritten all the same, and the rule of what is kept would be in two places. Lines as events of the realtime log: each would be kept for days, and end users would get them.</p><p><strong>Consequence.</strong> A job that logs nothing pays nothing. One that logs all the time is written once a second, up to 16 KiB each, as long as it runs; a longer <code>progressIntervalMs</code> reduces that. Clients that follow a job with <code>useJob</code> see new lines only when they read it again.</p></div>`);
}
var _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
	const ssrContext = useSSRContext();
	(ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0056-logs-travel-with-progress.md");
	return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
var _0056_logs_travel_with_progress_default = /*#__PURE__*/ _plugin_vue_export_helper_default(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export { __pageData, _0056_logs_travel_with_progress_default as default };
