'use strict';
// Sorts, chooses, points. The page is complete without: nothing here makes content that is not there already.
(() => {
  const all = (query, root = document) => [...root.querySelectorAll(query)];
  const make = (name, fields = {}, ...children) => {
    const element = Object.assign(document.createElement(name), fields);
    element.append(...children);
    return element;
  };

  // Tables: a click on a column's head sorts by it, another one the other way round.
  const value = row => column => {
    const cell = row.cells[column];
    return cell.dataset.v === undefined ? cell.textContent.trim() : Number(cell.dataset.v);
  };
  const compare = (a, b) => typeof a === 'number' && typeof b === 'number' ? a - b
    : typeof a === 'number' ? -1 : typeof b === 'number' ? 1 : a.localeCompare(b, 'en', { numeric: true });
  for (const table of all('table.sortable')) {
    const heads = all('thead th', table), body = table.tBodies[0];
    heads.forEach((head, column) => {
      // No button element: browsers leave those out of heads that are repeated on paper.
      const button = make('span', { role: 'button', tabIndex: 0 }, ...head.childNodes);
      head.append(button);
      button.addEventListener('keydown', event => {
        if (event.key !== 'Enter' && event.key !== ' ') return;
        event.preventDefault();
        button.click();
      });
      button.addEventListener('click', () => {
        const down = head.getAttribute('aria-sort') === 'ascending';
        heads.forEach(other => other.removeAttribute('aria-sort'));
        head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
        const rows = [...body.rows].sort((a, b) => compare(value(a)(column), value(b)(column)));
        body.append(...(down ? rows.reverse() : rows));
      });
    });
  }

  // Charts: rows close up where machines are left out, and follow the order that is chosen.
  const hidden = new Set();
  let rank = null;
  const number = (text, index) => Number(text.match(/-?[\d.]+/g)[index]);
  const layouts = all('svg.picture').map(svg => {
    const stacks = all('g.rows', svg).map(group => {
      const rows = all(':scope > g.row', group);
      return { group, rows, step: Number(group.dataset.row), top: rows.length ? number(rows[0].getAttribute('transform'), 1) : 0 };
    });
    const lines = all('g.series', svg);
    const box = svg.viewBox.baseVal;
    return { svg, stacks, lines, width: box.width, height: box.height };
  });
  const lay = () => {
    for (const { svg, stacks, lines, width, height } of layouts) {
      let removed = 0;
      for (const { group, rows, step, top } of stacks) {
        const isRanking = svg.closest('#ranking') !== null;
        const order = rank && !isRanking ? [...rows].sort((a, b) => rank(a.dataset.m) - rank(b.dataset.m)) : rows;
        let place = 0;
        for (const row of order) {
          const away = hidden.has(row.dataset.m);
          row.style.display = away ? 'none' : '';
          if (!away) row.setAttribute('transform', `translate(0 ${top + step * place++})`);
        }
        if (!isRanking) removed = step * (rows.length - place);
        group.append(...order);
      }
      for (const line of lines) line.style.display = hidden.has(line.dataset.m) ? 'none' : '';
      svg.style.display = removed >= height ? 'none' : '';
      svg.setAttribute('viewBox', `0 0 ${width} ${Math.max(height - removed, 1)}`);
    }
    for (const element of all('tr[data-m], li[data-m], article[data-m]')) element.hidden = hidden.has(element.dataset.m);
  };

  // The tools: which machines, in which order.
  const cards = all('article[data-m]'), tools = document.getElementById('tools');
  if (cards.length > 1) {
    const names = new Map(cards.map(card => [card.dataset.m, card.querySelector('h3').textContent]));
    const boxes = cards.map(card => make('input', { type: 'checkbox', checked: true, value: card.dataset.m }));
    const shown = make('span', { role: 'status' });
    const find = make('input', { type: 'search', placeholder: 'name contains', ariaLabel: 'Show machines whose name contains' });
    const apply = () => {
      hidden.clear();
      for (const box of boxes) {
        if (!box.checked || !names.get(box.value).toLowerCase().includes(find.value.toLowerCase())) hidden.add(box.value);
      }
      shown.textContent = `${boxes.length - hidden.size} of ${boxes.length} machines`;
      lay();
    };
    const labels = boxes.map(box => make('label', {}, box, ' ', names.get(box.value)));
    const every = make('button', { type: 'button' }, 'all'), none = make('button', { type: 'button' }, 'none');
    every.addEventListener('click', () => { boxes.forEach(box => { box.checked = true; }); apply(); });
    none.addEventListener('click', () => { boxes.forEach(box => { box.checked = false; }); apply(); });
    const order = make('select', { ariaLabel: 'Order of the machines' }, make('option', { value: '' }, 'as ranked'));
    const table = document.querySelector('#ranking table');
    if (table) all('thead th', table).forEach((head, column) => order.append(make('option', { value: column }, head.textContent)));
    order.addEventListener('change', () => {
      rank = null;
      if (order.value !== '') {
        // Names and rows go up, speeds and numbers of cores go down.
        const sorted = [...table.tBodies[0].rows].sort((a, b) => {
          const [x, y] = [value(a)(order.value), value(b)(order.value)];
          return typeof x === 'number' && typeof y === 'number' ? y - x : compare(x, y);
        });
        const places = new Map(sorted.map((row, place) => [row.dataset.m, place]));
        rank = machine => places.get(machine) ?? places.size;
      }
      lay();
    });
    find.addEventListener('input', apply);
    boxes.forEach(box => box.addEventListener('change', apply));
    tools.append(make('label', {}, 'Show ', find), make('label', {}, 'Order ', order), shown,
      make('details', {}, make('summary', {}, 'Choose'), make('div', { className: 'choice' }, every, none, ...labels)));
    tools.hidden = false;
    apply();
  }

  // Pointing: exact values beside the pointer, and the same machine everywhere.
  const tip = make('div', { id: 'tip', hidden: true });
  document.body.append(tip);
  for (const title of all('svg.picture path > title')) {
    title.parentNode.dataset.t = title.textContent;
    title.remove();
  }
  let lit = null;
  const light = machine => {
    if (machine === lit) return;
    for (const element of all('.lit')) element.classList.remove('lit');
    lit = machine;
    if (machine !== null) for (const element of all(`[data-m="${machine}"]`)) element.classList.add('lit');
  };
  document.addEventListener('pointermove', event => {
    const told = event.target.closest('[data-t]'), mine = event.target.closest('[data-m]');
    light(mine ? mine.dataset.m : null);
    tip.hidden = !told;
    if (!told) return;
    tip.textContent = told.dataset.t;
    const across = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8);
    const down = event.clientY + 18 + tip.offsetHeight > innerHeight ? event.clientY - tip.offsetHeight - 10 : event.clientY + 18;
    tip.style.left = `${Math.max(across, 4)}px`;
    tip.style.top = `${down}px`;
  });
  document.addEventListener('pointerleave', () => { tip.hidden = true; light(null); });
})();
