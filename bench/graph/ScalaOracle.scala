import java.io.{File, PrintWriter}
import java.nio.charset.StandardCharsets
import java.nio.file.{Files, Path, Paths}
import scala.collection.JavaConverters._
import scala.collection.mutable
import scala.reflect.internal.util.{BatchSourceFile, Position, SourceFile}
import scala.reflect.io.PlainFile
import scala.tools.nsc.{Global, Settings}
import scala.tools.nsc.reporters.StoreReporter

/** Writes what scalac says of a project as JSON lines, in the form of edges.py.
  *
  * `scala -cp … ScalaOracle ROOT OUT`: every source below ROOT is typed, all of them together. Names
  * that depend on what is missing, and trees that the compiler adds, are not judged.
  */
object ScalaOracle {
  def main(arguments: Array[String]): Unit = {
    val root = Paths.get(arguments(0)).toRealPath()
    val settings = new Settings(_ => ())
    settings.usejavacp.value = true
    settings.nowarn.value = true
    settings.Yrangepos.value = true
    settings.stopAfter.value = List("typer")
    val reporter = new StoreReporter
    val compiler = new Global(settings, reporter)
    val files = Files.walk(root).iterator.asScala.toList.sortBy(_.toString)
      .filter(each => each.toString.endsWith(".scala") || each.toString.endsWith(".java"))
    val run = new compiler.Run
    run.compileSources(files.map(each => new BatchSourceFile(new PlainFile(each.toString))))
    val errors = reporter.infos.filter(_.severity == reporter.ERROR)
    System.err.println(s"${files.size} files, ${errors.size} errors")
    errors.take(8).foreach(each => System.err.println(s"  ${each.pos.line} ${each.pos.source}: ${each.msg.take(160)}"))
    val oracle = new Writer(compiler, root, errors.map(each => (each.pos.source, each.pos.line)).toSet)
    val units = run.units.toList.filter(_.source.file.name.endsWith(".scala"))
    units.foreach(each => oracle.declare(each.asInstanceOf[oracle.compiler.CompilationUnit]))
    units.foreach(each => oracle.judge(each.asInstanceOf[oracle.compiler.CompilationUnit]))
    val out = new PrintWriter(arguments(1), StandardCharsets.UTF_8.name)
    oracle.rows.foreach(out.println)
    out.close()
  }
}

final class Writer(val compiler: Global, root: Path, broken: Set[(SourceFile, Int)]) {
  import compiler._

  val rows = mutable.LinkedHashSet[String]()
  private val places = mutable.Map[Symbol, String]()

  private def json(text: String) =
    "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\""

  private def file(source: SourceFile) =
    json(root.relativize(Paths.get(source.file.path).toAbsolutePath).toString)

  private def lineAndColumn(source: SourceFile, offset: Int): (Int, Int) = {
    val line = source.offsetToLine(offset)
    val first = source.lineToOffset(line)
    val text = new String(source.content, first, offset - first)
    (line + 1, text.codePointCount(0, text.length))
  }

  private def at(source: SourceFile, offset: Int) = {
    val (line, column) = lineAndColumn(source, offset)
    s"[${file(source)},$line,$column]"
  }

  /** True if a name is written at a place; the place may be that of its first backtick. */
  private def stands(source: SourceFile, offset: Int, name: String): Boolean = {
    val text = source.content
    val begin = if (offset < text.length && offset >= 0 && text(offset) == '`') offset + 1 else offset
    begin >= 0 && begin + name.length <= text.length && !name.isEmpty &&
      new String(text, begin, name.length) == name && {
        val end = begin + name.length
        val last = name.last
        end >= text.length || !(Character.isJavaIdentifierPart(last) && Character.isJavaIdentifierPart(text(end)))
      }
  }

  private def begin(source: SourceFile, offset: Int) =
    if (source.content(offset) == '`') offset + 1 else offset

  private def plain(name: Name) = name.decoded.trim.stripSuffix("_=")

  /** The field's place for its accessors, the class for its constructor. */
  private def meant(symbol: Symbol): Symbol =
    if (symbol.isAccessor && !symbol.isDeferred && symbol.accessed != NoSymbol) symbol.accessed
    else symbol

  def declare(unit: CompilationUnit): Unit = new Declared(unit).traverse(unit.body)

  def judge(unit: CompilationUnit): Unit = new Used(unit).traverse(unit.body)

  private final class Declared(unit: CompilationUnit) extends Traverser {
    override def traverse(tree: Tree): Unit = {
      tree match {
        case each: ImplDef if !each.name.decoded.startsWith("$") => add(each, "class")
        case each: DefDef if each.name == nme.CONSTRUCTOR =>
          if (!each.symbol.isPrimaryConstructor) {
            add(each, "method", "this")
            for (one <- places.get(each.symbol); of <- places.get(each.symbol.owner))
              rows += s"""{"constructor":$one,"of":$of}"""
          }
        case each: DefDef if each.symbol.isAccessor && !each.symbol.owner.isClass =>
        case each: DefDef if !each.symbol.isSynthetic && !isMixedIn(each) =>
          if (each.symbol.isAccessor && !each.symbol.isLazy && !isNewDeferred(each)) places.get(meant(each.symbol)).foreach(places(each.symbol) = _)
          else add(each, if (each.symbol.isAccessor) "property" else "method")
        case each: ValDef if each.symbol.owner.isClass && !each.symbol.isSynthetic && !isParameter(each.symbol) => add(each, "property")
        case each: TypeDef if each.symbol.owner.isClass && !each.symbol.isParameter => add(each, "type")
        case _ =>
      }
      super.traverse(tree)
    }

    /** True for a parameter of a class that no one else sees. */
    private def isParameter(symbol: Symbol) = symbol.isParamAccessor && symbol.isPrivateThis &&
      symbol.getter(symbol.owner) == NoSymbol

    private def isNewDeferred(tree: DefDef) = tree.symbol.isDeferred

    private def isMixedIn(tree: DefDef) = tree.symbol.isSetter

    private def add(tree: DefTree, kind: String, called: String = ""): Unit = {
      val name = if (called.isEmpty) plain(tree.name) else called
      val source = unit.source
      if (tree.pos.isDefined && stands(source, tree.pos.point, name)) {
        val (line, _) = lineAndColumn(source, tree.pos.point)
        val where = s"[${file(source)},$line,${json(name)}]"
        places(tree.symbol) = where
        if (kind == "class" && tree.symbol.isModule) places(tree.symbol.moduleClass) = where
        rows += s"""{"declared":$where,"kind":${json(kind)}}"""
      }
    }
  }

  private final class Used(unit: CompilationUnit) extends Traverser {
    private val source = unit.source
    private var isValue = false
    private var owners = List(s"[${file(source)},0,${json("")}]")

    private def target(symbol: Symbol): Option[String] =
      places.get(symbol).orElse(places.get(meant(symbol))).orElse(
        if (symbol.isPrimaryConstructor) places.get(symbol.owner)
        else if (symbol.isSetter) places.get(symbol.getter(symbol.owner)).orElse(places.get(meant(symbol)))
        else if (symbol.isModuleClass) places.get(symbol.sourceModule)
        else if (symbol.isModule) places.get(symbol.companionClass)
        else None)

    private def say(kind: String, offset: Int, targets: Seq[String]): Unit = {
      if (!broken.contains((source, source.offsetToLine(offset) + 1))) {
        val place = at(source, begin(source, offset))
        rows += s"""{"judged":${json(kind)},"at":$place}"""
        for (each <- targets)
          rows += s"""{"type":${json(kind)},"from":${owners.head},"to":$each,"at":$place}"""
      }
    }

    private def isKnown(symbol: Symbol) =
      symbol != null && symbol != NoSymbol && !symbol.isError && !symbol.isErroneous

    /** Where the last name of a tree begins, -1 if it is not written. */
    private def nameAt(tree: Tree): Int = tree match {
      case each: RefTree if each.pos.isDefined && stands(source, each.pos.point, plain(each.name)) => each.pos.point
      case _ => -1
    }

    /** The place of what is called where `apply` is not written. */
    private def calledAt(tree: Tree): Int = tree match {
      case Apply(inner, _) => calledAt(inner)
      case TypeApply(inner, _) => calledAt(inner)
      case each: RefTree => nameAt(each)
      case _ => -1
    }

    override def traverse(tree: Tree): Unit = tree match {
      case _: Import | _: PackageDef if tree.isInstanceOf[Import] =>
      case each: PackageDef => each.stats.foreach(traverse)
      case each: ImplDef => within(each.symbol, if (each.symbol.isModule) each.symbol.moduleClass else each.symbol)(implementation(each))
      case each: DefDef if each.name == nme.CONSTRUCTOR =>
        within(each.symbol, each.symbol)(super.traverse(each))
      case each: DefDef if each.symbol.isSynthetic =>
      case each: DefDef if each.symbol.isAccessor && !each.symbol.isLazy && !each.symbol.isDeferred => overridden(each)
      case each: DefDef =>
        overridden(each)
        within(each.symbol, each.symbol)(super.traverse(each))
      case each: ValDef if each.symbol.owner.isClass => within(each.symbol, each.symbol)(super.traverse(each))
      case each: TypeTree => if (each.original != null) traverse(each.original)
      case each: UnApply => pattern(each)
      case each: CaseDef => inPattern(each.pat); traverse(each.guard); traverse(each.body)
      case New(typed) => traverse(typed)
      case Function(parameters, body) if parameters.nonEmpty && isMethodValue(parameters, body) =>
        val before = isValue
        isValue = true
        traverse(body)
        isValue = before
      case Apply(Select(made @ New(_), nme.CONSTRUCTOR), items) =>
        constructed(made, tree.asInstanceOf[Apply].fun.symbol)
        traverse(made)
        items.foreach(traverse)
      case each: Select => selected(each)
      case each: Ident => if (!each.symbol.isLocal || each.symbol.isMethod) use(each)
      case _ => super.traverse(tree)
    }

    /** True for what the compiler makes of the name of a method that is a value. */
    private def isMethodValue(parameters: List[ValDef], body: Tree) = body match {
      case Apply(_, items) => parameters.forall(_.symbol.isSynthetic) && items.size == parameters.size &&
          items.forall(each => !each.pos.isDefined || !stands(source, each.pos.point, "_"))
      case _ => false
    }

    private def within(symbol: Symbol, other: Symbol)(inner: => Unit): Unit = {
      val before = owners
      places.get(symbol).orElse(places.get(other)).foreach(each => owners ::= each)
      inner
      owners = before
    }

    private def constructed(made: New, symbol: Symbol): Unit = {
      val offset = nameAt(bare(made.tpt))
      if (offset >= 0 && isKnown(symbol) && !made.tpt.symbol.isAnonymousClass)
        say("calls", offset, if (made.tpt.symbol.isTrait) Nil else target(symbol).toList)
    }

    private def bare(tree: Tree): Tree = tree match {
      case each: TypeTree if each.original != null => bare(each.original)
      case AppliedTypeTree(inner, _) => bare(inner)
      case each: Annotated => bare(each.arg)
      case _ => tree
    }

    private def selected(tree: Select): Unit = {
      val symbol = tree.symbol
      val offset = nameAt(tree)
      if (offset >= 0) use(tree)
      else if (tree.name == nme.apply && isKnown(symbol)) {
        val called = calledAt(tree.qualifier)
        // what a function does that is a value has no name
        if (called >= 0 && !definitions.isFunctionType(symbol.owner.tpe) && !isFunction(symbol)) {
          val made = if (symbol.isSynthetic || symbol.isCaseApplyOrUnapply) places.get(symbol.owner.companionClass) else target(symbol)
          say("calls", called, made.toList)
        }
      }
      traverse(tree.qualifier)
    }

    private def isFunction(symbol: Symbol) = definitions.FunctionClass.seq.contains(symbol.owner)

    private def use(tree: RefTree): Unit = {
      val symbol = tree.symbol
      val offset = nameAt(tree)
      if (offset >= 0 && isKnown(symbol) && !symbol.hasPackageFlag && !symbol.isParameter &&
          !(tree.name == nme.CONSTRUCTOR) && tree.pos.isRange) {
        val found = target(symbol).toList
        val isRead = symbol.isAccessor || !symbol.isMethod || isValue
        isValue = false
        if (!isRead) say("calls", offset, found)
        if (symbol.owner.isClass || symbol.isClass || symbol.isModule || symbol.isMethod) say("references", offset, found)
      }
    }

    /** A case class is taken apart, nothing is called; what an extractor does is not judged. */
    private def pattern(tree: UnApply): Unit = {
      tree.fun match {
        case Apply(inner, _) => extractor(inner)
        case _ =>
      }
      tree.args.foreach(inPattern)
    }

    private def extractor(tree: Tree): Unit = tree match {
      case Select(of, _) => traverse(of)
      case TypeApply(inner, _) => extractor(inner)
      case Apply(inner, _) => extractor(inner)
      case _ =>
    }

    private def inPattern(tree: Tree): Unit = tree match {
      case Apply(of: TypeTree, items) =>
        val name = if (of.original == null) of else of.original
        val offset = nameAt(name)
        if (offset >= 0) {
          val symbol = of.tpe.finalResultType.typeSymbol
          say("references", offset, places.get(symbol).toList)
          say("calls", offset, Nil)
        }
        name match { case Select(inner, _) => traverse(inner); case _ => }
        items.foreach(inPattern)
      case Bind(_, inner) => inPattern(inner)
      case Alternative(each) => each.foreach(inPattern)
      case Star(inner) => inPattern(inner)
      case Typed(inner, typed) => inPattern(inner); traverse(typed)
      case each: UnApply => pattern(each)
      case _ => traverse(tree)
    }

    private def implementation(tree: ImplDef): Unit = {
      for (each <- tree.impl.parents) {
        val base = bare(each)
        val offset = nameAt(base)
        if (offset >= 0 && isKnown(base.symbol) && !tree.symbol.isAnonymousClass)
          say("implements", offset, target(base.symbol).toList)
        traverse(each)
        calledBase(tree, base, offset)
      }
      tree match { case each: ClassDef => each.tparams.foreach(traverse); case _ => }
      traverse(tree.impl.self)
      tree.impl.body.foreach(traverse)
    }

    /** The call of the base's constructor, which is in the primary constructor. */
    private def calledBase(tree: ImplDef, base: Tree, offset: Int): Unit =
      if (offset >= 0 && isKnown(base.symbol) && !base.symbol.isTrait) {
        val made = tree.impl.body.collectFirst {
          case DefDef(_, nme.CONSTRUCTOR, _, _, _, body) => body.collect {
            case each @ Select(Super(_, _), nme.CONSTRUCTOR) => each.symbol
          }
        }.toList.flatten.headOption
        for (symbol <- made if isKnown(symbol)) say("calls", offset, target(symbol).toList)
      }

    /** The member of the nearest base class, and those of all traits. */
    private def overridden(tree: DefDef): Unit = {
      val symbol = tree.symbol
      val offset = tree.pos.point
      if (symbol.owner.isClass && tree.pos.isDefined && stands(source, offset, plain(tree.name))) {
        val before = owners
        target(symbol).foreach(each => owners ::= each)
        var isClassDone = false
        val found = mutable.ListBuffer[String]()
        for (base <- symbol.owner.ancestors if !isClassDone || base.isTrait) {
          val other = symbol.overriddenSymbol(base)
          if (other != NoSymbol) {
            if (!base.isTrait) isClassDone = true
            found ++= target(other)
          }
        }
        if (target(symbol).isDefined) say("overrides", offset, found.distinct)
        owners = before
      }
    }
  }
}
