// A run that goes on: its rows arrive from the program that computes it, and pauses, speeds and inputs go back there.
const run = JSON.parse(find('#run').textContent);
const ROWS = 30000, WINDOW = 10, EVERY = 60;  // rows that are kept, seconds of the reader that are shown, ms between two messages
const live = {
  kept: scene.columns.map(() => new Float64Array(ROWS)), rows: 0, state: run.state, following: true, said: '', until: 0,
  waiting: null, sending: false, sliders: new Map(), scaled: 0,
};
Object.assign(source, {
  load: () => unpackShapes().then(() => new Promise(done => {
    const stream = live.stream = new EventSource('rows');
    stream.onmessage = event => {
      const {rows, state} = JSON.parse(event.data);
      take(rows);
      if (done && live.rows) {
        present(true);
        done();
        done = null;
      } else if (!done && rows.length) present(false);
      if (!done) follow(state);
      else live.state = state;
    };
    stream.onerror = () => notice('no connection to the run');
  })),
  newest: () => time[scene.rows - 1],
  clock: () => `${minus(now.toFixed(digits()))} s`,
  advance() {},  // rows arrive by themselves
  play() {
    live.following = true;
    present(true);
    if (started()) send({pause: false});
  },
  pause() {
    if (!started()) return;
    live.following = false;
    send({pause: true});
  },
  controls,
  fits: () => JSON.stringify(camera) === live.camera,
});
const fitted = fit;
fit = function () {
  fitted();
  live.camera = JSON.stringify(camera);
};
const started = () => !!window.player;
const digits = () => clamp(Math.ceil(2 - Math.log10(live.state.speed)), 2, 7);

// -- rows
function take(rows) {
  if (live.rows + rows.length > ROWS) {  // the newer half goes on in new memory, since the present window may be in the old one
    const from = Math.max(0, live.rows - ROWS / 2);
    live.kept = live.kept.map(column => {
      const moved = new Float64Array(ROWS);
      moved.set(column.subarray(from, live.rows));
      return moved;
    });
    live.rows -= from;
  }
  for (const row of rows.slice(-ROWS / 2)) {
    row.forEach((x, k) => live.kept[k][live.rows] = x);
    live.rows++;
  }
}
function present(anew) {  // the window of the last seconds; a reader who looks back keeps his own
  if (!live.following && !anew) return;
  const newest = live.kept[0][live.rows - 1], start = newest - WINDOW * live.state.speed;
  let from = live.rows - 1;
  while (from > 0 && live.kept[0][from - 1] >= start) from--;
  columns = live.kept.map(column => column.subarray(from, live.rows));
  time = columns[0];
  scene.rows = live.rows - from;
  scene.t0 = time[0];
  scene.t1 = Math.max(newest, scene.t0 + WINDOW * live.state.speed);
  scene.events = [];
  for (let i = 1; i < scene.rows; i++) if (time[i] === time[i - 1]) scene.events.push(time[i]);
  paths.clear();
  reach();
  for (const plot of plots) {
    const [low, high] = rangeOf(plot);
    if (low < plot.low || high > plot.high || high - low < 0.4 * (plot.high - plot.low)) scaleTo(plot, [low, high]);
    plot.key = '';
  }
  if (performance.now() - live.scaled > 500) {
    live.scaled = performance.now();
    scaleForces(1);
  }
  seek(newest);
}
function reach() {  // the box around the motion grows by a tenth more than needed, so that the picture moves seldom
  const room = 0.1 * scene.size, low = [...scene.low], high = [...scene.high];
  for (const each of scene.reach)
    point(each, scene.rows - 1).forEach((x, i) => {
      if (x < scene.low[i]) low[i] = Math.min(low[i], x - room);
      if (x > scene.high[i]) high[i] = Math.max(high[i], x + room);
    });
  if (String([low, high]) === String([scene.low, scene.high])) return;
  Object.assign(scene, {low, high, size: Math.max(scene.size, Math.hypot(...low.map((x, i) => high[i] - x))), floor: low.at(-1)});
  if (camera && source.fits()) fit();  // else the reader has moved the picture, and keeps it
}

// -- messages to the run, at most one in EVERY ms; what comes meanwhile is put together
function send(message) {
  const set = {...live.waiting?.set, ...message.set};
  live.waiting = {...live.waiting, ...message, ...(Object.keys(set).length && {set})};
  if (!live.sending) post();
}
async function post() {
  live.sending = true;
  const text = JSON.stringify(live.waiting);
  live.waiting = null;
  try {
    const answer = await fetch('say', {method: 'POST', headers: {'Content-Type': 'application/json'}, body: text});
    if (!answer.ok) notice(await answer.text());
  } catch { notice('no connection to the run'); }
  setTimeout(() => {
    live.sending = false;
    if (live.waiting) post();
  }, EVERY);
}
function notice(text) {
  live.said = text;
  live.until = performance.now() + 5000;
  report();
  setTimeout(report, 5100);
}

// -- the state of the run
function follow(state) {
  live.state = state;
  if (state.paused && !live.following && now >= source.newest()) {  // paused and not looked back: the last row is shown
    live.following = true;
    present(true);
  }
  if (!live.sending) {  // an answer to a message that is under way comes later
    if (state.paused || state.ended) playing = false;
    else if (live.following) playing = true;
    speed = state.speed;
    find('#speed').value = speed;
    for (const [name, value] of Object.entries(state.values)) live.sliders.get(name)?.(value);
  }
  if (state.ended) {
    live.stream.close();
    for (const each of document.querySelectorAll('#inputs input, #play, #speed, #end')) each.disabled = true;
  }
  mark();
  report();
}
function report() {
  const {ended, paused, rate} = live.state, factor = `${written(rate, 3)} × real time`;
  const slow = rate < 0.8 * speed && rate > 0;
  const text = ended || (performance.now() < live.until ? live.said : paused ? 'paused' : slow ? `${factor}: slower than asked for` : factor);
  const place = find('.told');
  if (place.textContent !== text) place.textContent = text;
  place.dataset.state = ended ? 'ended' : performance.now() < live.until || slow ? 'late' : paused ? 'paused' : 'runs';
}

// -- sliders, and the button that ends
function controls() {
  for (const option of [...find('#speed').options]) option.remove();
  for (const v of run.speeds) find('#speed').add(new Option((v >= 1 ? v : '1/' + Math.round(1 / v)) + ' ×', v, false, v === live.state.speed));
  speed = live.state.speed;
  find('#speed').addEventListener('change', event => send({speed: +event.target.value}));
  find('#repeat').hidden = true;
  const end = element('button', 'End', find('header'));
  end.id = 'end';
  end.title = 'End the run';
  end.onclick = () => send({end: true});
  find('.told').after(end);
  find('.told').setAttribute('role', 'status');
  if (!scene.frames.length) root.dataset.plain = 1;
  if (!run.inputs.length) return;
  const box = element('section');
  box.id = 'inputs';
  find('aside').prepend(box);
  element('h2', 'Inputs', box);
  run.inputs.forEach(slider);
}
function slider(each) {
  const label = element('label', '', find('#inputs')), name = element('span', each.name, label), out = element('output', '', label);
  const input = element('input', '', label), ends = element('small', '', label);
  name.title = label.title = each.description;
  const unit = unitOf(each.unit), digitsOf = x => +x.toPrecision(4);
  for (const x of [each.low, each.high]) element('span', minus(digitsOf(x)), ends);
  Object.assign(input, {type: 'range', min: each.low, max: each.high, step: 'any'});
  input.setAttribute('aria-label', each.name);
  const put = value => {
    input.value = value;
    const said = `${written(value)}${unit ? ' ' + unit : ''}`;
    out.textContent = said;
    input.setAttribute('aria-valuetext', said);
    input.style.setProperty('--part', `${100 * clamp((value - each.low) / (each.high - each.low), 0, 1)}%`);
  };
  const change = value => {
    put(value);
    send({set: {[each.name]: value}});
  };
  input.oninput = () => change(+input.value);
  input.ondblclick = () => change(clamp(each.value, each.low, each.high));
  input.onkeydown = event => { if (event.key.startsWith('Arrow') || /^(Home|End|Page)/.test(event.key)) event.stopPropagation(); };
  live.sliders.set(each.name, value => { if (!input.matches(':active')) put(value); });
  put(live.state.values[each.name] ?? each.value);
}
