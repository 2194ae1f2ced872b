// Reads exports by other people's programs, and prints what they contain as JSON, for test/export/run:
//     node read.mjs pprof|trace|parquet|speedscope FILE [QUERY]
import fs from 'node:fs'
import path from 'node:path'
import zlib from 'node:zlib'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
const [, , kind, file, query] = process.argv

/** Rows by name. */
class Rows {
  rows = new Map()
  of(name) {
    if (!this.rows.has(name)) this.rows.set(name, { calls: 0, own: 0, total: 0 })
    return this.rows.get(name)
  }
}

// A method's total counts each sample once, however often the method is on its stack.
function pprof() {
  const { Profile } = require('pprof-format')
  const profile = Profile.decode(zlib.gunzipSync(fs.readFileSync(file)))
  const text = (index) => profile.stringTable.strings[Number(index)]
  const comments = profile.comment.map(text)
  const types = profile.sampleType.map((type) => `${text(type.type)}/${text(type.unit)}`)
  const functions = new Map(profile.function.map((one) => [Number(one.id), one]))
  const locations = new Map(profile.location.map((one) => [Number(one.id), one]))
  const rows = new Rows()
  const lines = {}
  const sums = types.map(() => 0)
  const own = types.indexOf('own/nanoseconds')
  for (const sample of profile.sample) {
    const values = sample.value.map(Number)
    values.forEach((value, i) => { sums[i] += value })
    const names = sample.locationId.map((id) => {
      const line = locations.get(Number(id)).line[0]
      const of = functions.get(Number(line.functionId))
      if (Number(line.line)) lines[text(of.name)] = `${text(of.filename)}:${Number(of.startLine)}`
      return text(of.name)
    })
    if (values.slice(0, 2).some((value) => value > 0)) {
      rows.of(names[0]).calls += values[0]
      rows.of(names[0]).own += values[own] ?? 0
      for (const name of new Set(names)) rows.of(name).total += values[own] ?? 0
    }
  }
  return { types, comments, sums, lines, rows: Object.fromEntries(rows.rows) }
}

// The engine of Chrome's DevTools. Its tree gives the nesting.
async function trace() {
  globalThis.window = globalThis
  globalThis.DOMRect = class {}
  const engine = await import('@paulirish/trace_engine')
  const processor = engine.Processor.TraceProcessor.createWithAllHandlers()
  await processor.parse(JSON.parse(fs.readFileSync(file, 'utf8')).traceEvents, {})
  const rows = new Rows()
  const threads = []
  const edges = {}
  const visit = (node, above) => {
    const name = node.entry.name
    if (node.entry.ph !== 'X') return
    const row = rows.of(name)
    row.calls++
    row.own += node.selfTime ?? 0
    if (!above.includes(name)) row.total += node.entry.dur
    const edge = `${above.at(-1) ?? ''} > ${name}`
    edges[edge] = (edges[edge] ?? 0) + 1
    for (const child of node.children) visit(child, [...above, name])
  }
  for (const [pid, of] of processor.data.Renderer.processes) {
    for (const [tid, thread] of of.threads) {
      threads.push({ pid, tid, name: thread.name, entries: thread.entries.length })
      for (const root of thread.tree?.roots ?? []) visit(root, [])
    }
  }
  return { threads, edges, rows: Object.fromEntries(rows.rows) }
}

async function parquet() {
  const { DuckDBInstance } = await import('@duckdb/node-api')
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  const read = await connection.runAndReadAll(query.replaceAll('$file', `'${file}'`))
  return read.getRows().map((row) => row.map((cell) => (typeof cell === 'bigint' ? Number(cell) : cell)))
}

// speedscope's own page in a browser, given the file as its command line gives it.
async function speedscope() {
  const { chromium } = await import('playwright-core')
  const folder = path.dirname(require.resolve('speedscope/package.json'))
  const script = `${file}.js`
  const base64 = fs.readFileSync(file).toString('base64')
  fs.writeFileSync(script, `speedscope.loadFileFromBase64(${JSON.stringify(path.basename(file))}, ${JSON.stringify(base64)})`)
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
  try {
    const page = await browser.newPage({ viewport: { width: 1600, height: 1000 } })
    const errors = []
    page.on('pageerror', (error) => errors.push(String(error)))
    page.on('console', (message) => { if (message.type() === 'error') errors.push(message.text()) })
    await page.goto(`file://${folder}/dist/release/index.html#localProfilePath=${script}`)
    const profiles = []
    for (let number = 1; number <= Number(query); number++) {
      if (number > 1) await page.keyboard.press('n') // the next profile
      await page.waitForFunction((at) => document.body.innerText.includes(`(${at}/`), number, { timeout: 60000 })
      await page.keyboard.press('3') // sandwich: a table of functions with total, self and name
      await page.waitForFunction(() => document.querySelector('td:nth-child(3)')?.innerText, null, { timeout: 60000 })
      await page.waitForTimeout(200) // until the table of the profile before is replaced
      const rows = await page.$$eval('tr', (found) => found.map((row) => [...row.cells].map((cell) => cell.innerText)))
      const title = (await page.innerText('body')).split('\n').find((line) => line.includes(`(${number}/`))
      profiles.push({ title, rows: rows.filter((row) => row.length === 3 && / \(/.test(row[0])) })
    }
    return { errors, profiles }
  } finally {
    await browser.close()
  }
}

console.log(JSON.stringify(await { pprof, trace, parquet, speedscope }[kind]()))
