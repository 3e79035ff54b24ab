import { t as _plugin_vue_export_helper_default } from "./plugin-vue_export-helper.DjkACiAr.js";
import { useSSRContext } from "vue";
import { ssrRenderAttrs } from "vue/server-renderer";
// docs/decisions/0004-finished-jobs-by-retention-and-day.md
var __pageData = JSON.parse("{\"title\":\"0004 Finished jobs are partitioned by retention, then by day\",\"description\":\"\",\"frontmatter\":{},\"headers\":[],\"relativePath\":\"decisions/0004-finished-jobs-by-retention-and-day.md\",\"filePath\":\"decisions/0004-finished-jobs-by-retention-and-day.md\"}");
var _sfc_main = { name: "decisions/0004-finished-jobs-by-retention-and-day.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
	_push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0004-finished-jobs-are-partitioned-by-retention-then-by-day" tabindex="-1">0004 Finished jobs are partitioned by retention, then by day <a class="header-anchor" href="#0004-finished-jobs-are-partitioned-by-retention-then-by-day" aria-label="Permalink to “0004 Finished jobs are partitioned by retention, then by day”">​</a></h1><p><strong>Context.</strong> Completed jobs are kept for 7 days, failed and cancelled ones for 30. Deleting millions of rows every day costs as much as writing them and leaves dead rows behind. Dropping a table costs nothing, but needs tables that end together.</p><p><strong>Choice.</strong> <code>finished_jobs</code> is partitioned by status into what is kept short (<code>completed_jobs</code>) and what is kept long (<code>unsuccessful_jobs</code>), and each of these by day (UTC) of <code>finished_at</code>. Once an hour over the fleet, retention creates the tables of the coming seven days and drops those past their time. A table that a long-running reader holds is left for the next time (<a href="./0053-retention-drops-one-table-at-a-time">0053</a>). Each branch has a default partition.</p><p><strong>Consequence.</strong> Finishing a job never fails because a table is missing: the job then goes into the default partition, where retention deletes it row by row. A day whose jobs are already in the default partition gets no table of its own. Reads by id look into every partition&#39;s index, some fifty of them; they are rare compared with writes. No unique index spans live and finished jobs, so <code>add_job</code> with the caller&#39;s own id searches the finished jobs itself.</p></div>`);
}
var _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
	const ssrContext = useSSRContext();
	(ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0004-finished-jobs-by-retention-and-day.md");
	return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
var _0004_finished_jobs_by_retention_and_day_default = /*#__PURE__*/ _plugin_vue_export_helper_default(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export { __pageData, _0004_finished_jobs_by_retention_and_day_default as default };
