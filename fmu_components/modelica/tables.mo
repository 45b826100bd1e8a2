package Tables "Values of tables, which are held beyond their nodes"
  function curve "Value of the derivative of an order; the kind is 0 for linear pieces, 1 for monotone cubics, more by 2 if periodic"
    input Integer order;
    input Integer kind;
    input Real x;
    input Real X[:];
    input Real Y[size(X, 1)];
    output Real y;
  protected
    Integer n;
    Integer i;
    Real h;
    Real m;
    Real c;
    Real d;
    Real t;
    Real u;
  algorithm
    n := size(X, 1);
    u := x;
    if kind > 1 then
      u := x - (X[n] - X[1])*floor((x - X[1])/(X[n] - X[1]));
      u := max(X[1], min(X[n], u));
    end if;
    i := 1;
    while i < n - 1 and u >= X[i + 1] loop
      i := i + 1;
    end while;
    h := X[i + 1] - X[i];
    t := u - X[i];
    m := (Y[i + 1] - Y[i])/h;
    c := m;
    d := m;
    if kind == 1 or kind == 3 then
      c := slope(kind, i, X, Y);
      d := slope(kind, i + 1, X, Y);
    end if;
    if u < X[1] or u > X[n] then
      y := 0;
      if order == 0 then
        y := Y[if u < X[1] then 1 else n];
      end if;
    elseif order == 0 then
      y := Y[i] + t*(c + t*((3*m - 2*c - d)/h + t*(c + d - 2*m)/(h*h)));
    elseif order == 1 then
      y := c + t*(2*(3*m - 2*c - d)/h + 3*t*(c + d - 2*m)/(h*h));
    elseif order == 2 then
      y := 2*(3*m - 2*c - d)/h + 6*t*(c + d - 2*m)/(h*h);
    elseif order == 3 then
      y := 6*(c + d - 2*m)/(h*h);
    else
      y := 0;
    end if;
    annotation(derivative(noDerivative = X, noDerivative = Y) = rate);
  end curve;
  function rate "Derivative of a curve by time"
    input Integer order;
    input Integer kind;
    input Real x;
    input Real X[:];
    input Real Y[size(X, 1)];
    input Real der_x;
    output Real der_y;
  algorithm
    der_y := curve(order + 1, kind, x, X, Y)*der_x;
    annotation(derivative(noDerivative = X, noDerivative = Y, order = 2) = acceleration);
  end rate;
  function acceleration "Second derivative of a curve by time"
    input Integer order;
    input Integer kind;
    input Real x;
    input Real X[:];
    input Real Y[size(X, 1)];
    input Real der_x;
    input Real der_2_x;
    output Real der_2_y;
  algorithm
    der_2_y := curve(order + 2, kind, x, X, Y)*der_x*der_x + curve(order + 1, kind, x, X, Y)*der_2_x;
  end acceleration;
  function slope "Slope of monotone cubics at a node"
    input Integer kind;
    input Integer k;
    input Real X[:];
    input Real Y[size(X, 1)];
    output Real c;
  protected
    Integer n;
    Integer a;
    Integer b;
    Real h;
    Real g;
    Real m;
    Real l;
  algorithm
    n := size(X, 1);
    a := max(1, min(k - 1, n - 2));
    if k == n then
      a := n - 1;
    end if;
    b := a + 1;
    if k == n then
      b := max(1, n - 2);
    end if;
    if n == 2 then
      b := a;
    end if;
    if kind > 1 and (k == 1 or k == n) then
      a := n - 1;
      b := 1;
    end if;
    h := X[a + 1] - X[a];
    g := X[b + 1] - X[b];
    m := (Y[a + 1] - Y[a])/h;
    l := (Y[b + 1] - Y[b])/g;
    if n == 2 and kind < 2 then
      c := m;
    elseif kind > 1 or (k > 1 and k < n) then
      c := 0;
      if m*l > 0 then
        c := m/((2*g + h)/(3*(h + g))*l + (g + 2*h)/(3*(h + g))*m)*l;
      end if;
    else
      c := ((2*h + g)*m - h*l)/(h + g);
      if c*m <= 0 then
        c := 0;
      elseif m*l <= 0 and abs(c) > 3*abs(m) then
        c := 3*m;
      end if;
    end if;
  end slope;
  function surface "Value of a surface: of curves along y at all nodes of x, the value of a curve along x"
    input Integer kind;
    input Real x;
    input Real y;
    input Real X[:];
    input Real Y[:];
    input Real Z[size(X, 1), size(Y, 1)];
    output Real z;
  protected
    Real along[size(X, 1)];
  algorithm
    for i in 1:size(X, 1) loop
      along[i] := curve(0, kind, y, Y, Z[i, :]);
    end for;
    z := curve(0, kind, x, X, along);
  end surface;
  function leastStep "Least difference of neighbours"
    input Real X[:];
    output Real least;
  algorithm
    least := X[2] - X[1];
    for i in 2:size(X, 1) - 1 loop
      least := min(least, X[i + 1] - X[i]);
    end for;
  end leastStep;
end Tables;
