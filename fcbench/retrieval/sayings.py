"""What people say and what tools call it: a table of everyday and laboratory words, for genomes and their programs.

Made by thinking about the field: how biologists speak of records, edits, views, files and searches. It names no tool
and no case. Each line reads `said, said > meant meant`: one of the words or phrases on the left stands for all the
words on the right. Both sides are compared by their stems, so `mutate` stands for `mutation` as well.
"""

from __future__ import annotations

ACTS = """\
put in, stick in, place in, introduce, splice in, slip in, goes in, go in, append, tack on, fuse, add in, squeeze > \
insert insertion
take out, get rid, throw out, throw away, throw, drop, discard, dump, lose, scrap, excise, strip, strike, bin, knock \
out, deletion, eliminate, wipe, erase, purge, no longer need, not need, do away, excess, unwanted, rubbish, obsolete, \
remove, can go > delete remove
empty, wipe, reset, start afresh, all of them off, clean up, flush, get rid of all, everything off > clear every \
removes
swap, exchange, substitute, turn into, becomes, become, mutate, mutant, point mutation, convert, changed to, change \
to, recode > replace replacement change edit
correct, fix, amend, revise, adjust, rename, call it, retitle, extend, shorten, should be, should read, wrong, move \
to > update change
carry out, do it, for real, make it real, go ahead, apply, perform, commit, run it, in earnest, for good, actually, \
implement, make it so, put into effect, realize, definitively, permanent, finalize, realise, then do, edited > \
execute applies pending queue edit
take back, back to how, as it was, roll back, step back, reverse that, revert, mistake, regret, restore, put back, \
undone, before that, state before > undo back last
stage, line up, lined up, waiting, wait, prepare, not yet, hold off, to be applied, outstanding, not run, don't run, \
planned, schedule, in line, unapplied > queue pending queues edits
make, build, produce, set up, new, enter, register, define > create add makes
lay, lift, duplicate, double, tandem, clone out, copies > copy clipboard paste
hold on, hang on, pick up, transplant, transfer, relocate, move elsewhere > clipboard cut paste
buffer, copied, pasteboard, copied last > clipboard holds copied
remember, park, stash, put aside, set aside, put away, come back, find again, later, return to, save, note down, hold \
for me > bookmark store keep stored view
line against, beside each other, side by side, alike, identical, differ, difference, differences, homology between, \
versus, against each other, percent identical, how similar, how close > align compare identity score alignment
look up, dig up, dig out, track down, pull up, hunt, scan for, look for, is there, are there, turn up, occur, \
mention, mentions, quote, quotes, says, appears > find search contains
tell me, give me, let me have, show me, hand me, print, read out, read me > returns get
table, overview, catalogue, inventory, enumerate, which are there, what else, what have we, have we got > list lists
how many, number of, tally, how often, count > count counts number
mean, average, per > mean count
write, dump, put in a file, on disk, to disk, to a file, file, download, hand over, send to, deliver, spreadsheet, \
save as, into a file, export > export writes file path
read in, bring in, import, open up, hook up, attach, merge, feed in, start over, pull in, load in > load reads file
size, heavy, weigh, weighs, mass, dalton, kilodalton, kda, daltons > weight molecular length
forecast, guess, estimate, probably, putative, potential, would happen, would do, what would, consequence > predict \
effect likely
check, evaluate, assess, quality check, sane, any good > analyze checks
work out, model, in silico, virtual, on paper, pretend, try out > simulate virtual predict
compare genomes, other strain, another strain, second strain, parent strain, other genome, relative strain, wild \
type, two genomes, other species, beside this one, next to it, next to this, alongside, reference strain > comparison \
second genomes genome compare loaded
all at once, in one go, one go, batch, together, all or none, or none, or not at all, in bulk, several, \
simultaneously, at the same time > batch bulk step multiple several
"""
"""What one does: put in, take out, carry out, keep, look up."""

BIOLOGY = """\
gc, g+c, g c, guanine cytosine, gc rich, at rich, gc poor, at content, base composition, composition > gc content
rise and fall, rises, along, profile, curve, sliding, trend, varies, variation along, every bases, windows of, plot, \
skew > gc windows profile slide range
complex, complexity, low complexity, repetitive, information content, randomness, bits, dinucleotide, trinucleotide > \
entropy words
triplet, triplets, synonymous, codon bias, bias, preferred codon, prefer, preference, codon > codon usage codons counts
highly expressed, expression level, cai, well adapted, adapted, translated efficiently > adaptation codons reference \
score
spacer, spacers, cas9, cas12, cas12a, crispri, crispr, knockdown, sgrna, grna, guide, nuclease, protospacer, editing \
target > crispr guide pam protospacer
reading frame, frames, translated, orf, stop to stop, open frame, could be translated, unannotated, coding potential, \
could code > orf open reading frames start stop codon
gene finder, gene caller, call genes, ab initio, de novo, prodigal, glimmer, unknown genes, from scratch, forget the \
annotation, without the annotation > predict genes finder prodigal
transcribed together, cotranscribed, polycistronic, transcription unit, transcription units, train, trains, head to \
tail, cluster of genes, same messenger, operon > operon operons neighbouring
gap between, between genes, between the genes, gene free, no gene, nothing annotated, not annotated, unannotated, \
empty stretch, spacers between, noncoding > intergenic stretches gene covers between
promoter, upstream, ahead, in front, before the start, before the atg, leader, regulatory, rbs, shine dalgarno, \
drives, utr, first codon, control region > upstream before start codon
downstream, behind, after the stop, next to, neighbour, neighbourhood, vicinity, close to, around, nearby, \
surrounding, surrounds, near, within kb, flanking, adjacent, closest, nearest > nearby distance nearest features
sits, covers, overlap, overlaps, lies on, on top, hits, hit by, falls in, inside, belongs to, located at, at base > \
features cover position overlap
everything annotated, annotated from, annotated between, what is in, what lies, contents of the region, encoded \
between > features region range overlap
entry, entries, locus, feature, element, site, misc_feature, map > feature annotation
locus, loci, locus tag, b number, old name, former name, alias, used to be called, also known, other name, formerly, \
known as, symbol > gene name synonym locus symbol
all there is, everything about, full record, all about, details, know about, what do we know, facts > details record \
full
describe, described, descriptions, annotated as, function, product, enzyme, pathway, involved in, to do with, \
responsible, transport, transporter, biosynthesis, metabolism, ec number, regulator > product function note phrase \
features search
by hand, typed in, i typed, entered today, my own, i made, earlier, today, i added, made today, ourselves, we added > \
session made changed annotations
who changed, changed before, log, history, previous value, what did it say, past, audit, edited when, what happened \
to > history old new values hand
qualifier, qualifiers, cross reference, db_xref, remark > qualifiers note feature
nucleotide, nucleotides, letters, bases, dna, sequence, string, stretch, read me, actual sequence, spell > bases \
sequence letters dna range
cds, coding region, coding part, start to stop, orf of, reading frame of, exons, spliced, mrna, introns, without \
introns, open reading frame > coding sequence exons start codon
n to c, n terminus, c terminus, c terminal, carboxy, amino end, amino acid, amino acids, aa, residue, residues, \
peptide, polypeptide, protein, translation, gene product, encodes, translated > protein amino acids
translate, what peptide, makes, frame, conceptual translation, genetic code, translated > translate reading frame \
letters
other strand, opposite strand, flip, reverse, backwards, complement, antisense, turn around, bottom strand, other \
direction, anti parallel > reverse complement strand
minus, bottom strand, top strand, which way, orientation, direction, sense, strand, forward, lower strand, crick, \
watson > strand
isoelectric, pi, physicochemical, stability, hydropathy, hydrophobicity, hydrophobic, gravy, size of the protein, \
charge, soluble, kda, how heavy, how big > properties isoelectric weight length
motif, consensus, pattern, walker, zinc finger, signature, lipobox, glycosylation, degenerate, n glycosylation > \
pattern motif residues finds
box, operator, binding site, consensus, motif, repeats, palindrome, repeat, word, occurrences, turns up, how many \
times, mismatch, iupac, ambiguous, ambiguity > pattern occurs place mismatches dna
fold, domain, domains, hmm, profile, family, families, globin, fibronectin, kinase, superfamily > domain domains \
profile family
interpro, pfam, prosite, smart, cdd, panther, family references, families > domain family interpro pfam annotation \
collection uniprot
swiss prot, swissprot, uniprot, uniprotkb, expasy, curated protein, known protein > uniprot entry extract
genpept, protein id, protein accession, refseq, xref > protein accession record
crystal, crystals, structure, solved, x ray, nmr, cryo, pdb, 3d, resolution, angstroms, deposited, models, \
coordinates file, ligand, ligands, solution structure, fold > structure pdb structures
touch, touches, contact, contacts, interface, within angstrom, bound to, interacts, interact, binding partner, chain, \
subunit, distance between chains > contacts chain interface residues distance
relatives, relative, homologue, homologues, homolog, paralog, ortholog, resemble, resembles, similar protein, blast, \
hmmer, family member, cousin, cousins, anything like, look like, looks like, similar to > similarity search database \
resemble
blastp, phmmer, protein database > protein similarity search
blastn, nhmmer, blast dna, dna database > nucleotide similarity search
blast against, searchable, search against, database, blast set, target set, search set, blast database, blastable, \
makeblastdb, set named, db > database search databases
match, matches, hits, result table, search result, results, e value, evalue, e values, significant, last search, \
identity below, cut off > hits similarity last search
what kind, peptide or, dna or, rna or, kind of letters, what is it, which alphabet, nucleic acid, what sort of \
sequence > type detect letters likely
oligo, oligos, primer, primers, oligonucleotide, forward and reverse, pcr primers > primer
amplify, amplifies, amplification, pcr, amplicon, band size, colony pcr, product length, flank > pcr product primers \
amplify
anneal, anneals, annealing, prime, primes, binds, bind, off target, mispriming, specific, unique, more than once, \
binds elsewhere > binding sites primer binds
melt, melting, tm, hairpin, self dimer, folds back, fold back, dimer, stick to itself, second copy, secondary \
structure > primer melting temperature hairpin dimer
fridge, freezer, ordered, primer list, oligo list, our list, collection, box of primers > primers primer keeps \
project list
restriction, enzyme, enzymes, cutter, cutters, cuts, recognition, rebase, endonuclease, six cutter, cut site, cutting \
> restriction enzyme cuts sites
blunt, sticky, cohesive, overhang, overhangs, supplier, neb, commercial, buy, on the market, sold, six cutters, rare \
cutter, exotic > enzymes overhang commercial catalogue
does not cut, do not cut, never cut, not cut, uncut, leave whole, leaves whole, without cutting, leave intact, \
absent, non cutter, spare, spared, no site > noncutting enzymes nowhere cut
fragment, fragments, pieces, digest, digestion, double digest, cut with, band pattern, chop, piece > digest fragments \
cuts virtual
agarose, gel, lane, ladder, marker, electrophoresis, bands, travel, migrate, runs on > gel fragments ladder agarose
snp, snps, polymorphism, mutation, mutations, indel, indels, variant, variants, called, calls, substitution, allele, \
vcf, frameshift, missense, nonsense, single letter > variant variants loaded
pass, quality above, at least reads, filter, sieve, only those, only the, good ones, reliable, sift, sort out, pull \
out, worse than > filter condition quality limit
summary, statistics, breakdown, all in all, in total, altogether, bird's eye, at a glance, per kind, totals > \
summarize counts summary
effect on protein, silent, amino acid change, protein change, codon change, harmless, consequence, what would that \
do, change the protein > effect variant missense silent nonsense
bam, read, reads, alignment file, sequenced, mapped, pile up, pileup, resequencing, illumina > reads attached
depth, deep, coverage, covered, how well covered, fold coverage, times covered > coverage depth reads
reads say, reads have, base counts, majority, heterogeneous, what do the reads, basecalls, calls at, as and gs > base \
counts reads
chromosome, chromosomes, contig, contigs, scaffold, plasmid, replicon, accession, molecule, topology, circular, \
linear > sequences sequence accession topology
organism, species, strain, what is open, how big, genome size, what have i got, which genome, whole record, stats > \
genome summary organism length
"""
"""What one speaks of in the laboratory and at the desk."""

PROGRAM = """\
screen, window, display, picture, sight, looking at, in view, on the monitor, visible, panel, staring, what i see, on \
display > view shows shown
where am i, what do i see, at the moment, currently, how wide, present view, now showing > view reports state range
take me, bring me, jump, go to, centre, center, middle, dead centre, scroll to, move to, land on, get me to, show me \
the place > centres view navigate go
fill, fills, fit, fits, whole screen, full width, frame filling, nothing to spare, from first base to last, margin > \
zoom fills gene margin view
closer, larger, magnify, narrow, enlarge, nearer, detail > zoom narrows fewer view
wider, further out, bigger picture, widen, more of, step away, farther, neighbourhood > zoom widens more view
scroll, slide, shift, sideways, half a screen, further along, nudge > pan moves view sideways direction
colour, color, paint, yellow, red, green, orange, blue, purple, shade, stripe, marker pen, tint, highlight, \
highlighted, coloured, band, mark > highlight coloured mark colour
pick, choose, selected, selection, marked as selection, current selection, select > select selection range
pin, favourite, placeholder, marker, bookmark, place i, spots, remembered places, places > bookmark bookmarks ranges
snapshot, view called, stored view, bring back, return to > restore stored view name
exactly what, current view, what is on the screen, as it is now > save stores view name
tab, tabs, window, second window, fresh window, another window, sheet, further tab, new tab > tab
close, shut, don't need any more, finished with > close tab
switch, back to, over to, flip to, front, bring to the front, other tab > switch tab front
open windows, open up there, what else open > list tabs open
lane, lanes, track, tracks, row, curve, curves, pile up, gene bar, plot, squashed > track
switch on, switched on, switch off, turn on, turn off, hide, hidden, unhide, show again, out of sight, not see, off \
the screen, appear, clutter, invisible > visibility shows hides track hidden shown
taller, height, tall, higher, thinner, axis, log, scale, label, labels, drawn, draw, style, squashed, colour of > \
settings track drawn height colour scale
allowed, possible values, can be tuned, options, tunable, can be set, knobs, which settings > describe settings \
values exist
bedgraph, wig, bigwig, signal, signals, curve, chip seq, coverage curve, quantitative, tiling > signal tracks load \
numeric
to do, todo, to do list, reminder, remind, checklist, tick, tick off, task, tasks, chore, point on my list, my list, \
list of things, chores, item, agenda > task checklist item
finished, done, completed, in progress, half way, begun, progress, pending task, status > status progress state update
left to do, still to do, open points, what remains > list checklist items state
folder, directory, where files go, all output, everything i write, land in, belongs in, output > folder working \
directory output
what has been loaded, loaded so far, read in so far, which files, what files, attached so far, in memory > loaded \
files lists
genbank, gbk, gb, annotated record, full record, whole record, with its features > genbank file features
gff, gff3, gtf > gff features file
bed, bedtools, zero based, counts from zero, from zero, half open > bed features file
fasta, fa, fna, faa, multi fasta, bare dna, only the letters, plain sequence, bare sequence > fasta bases file
proteome, all proteins, every protein, faa, protein file, proteins > protein fasta amino acids genes
genes file, all cds, every coding, ffn, coding sequences > coding cds fasta genes
csv, json, tsv, excel, spreadsheet, table > table csv hits file
operon table, regulondb > load operon table operons
annotation file, extra features, hand made features, features from > annotation file features adds
genome file, open instead, instead of this, switch genome, another genome, start over, replace the genome, in place \
of > genome open file place
"""
"""What one sees of a program: views, tabs, lanes, lists, files."""

TURNS = """\
g and c, g or c, g plus c, gs and cs, share of g, percent g, how gc, gc percentage, gc share, gc fraction > gc content
arginine, arginines, leucine, leucines, serine, serines, alanine, alanines, glycine, proline, codes for, spell, \
spells, spelled, census > codon usage codons counts
acidic, basic, unstable, test tube, in vitro, half life, kilodaltons, molar mass, extinction, instability > \
properties isoelectric instability weight protein
ancestor, common descent, conserved, diverged, deviate, deviates, deviation, percent identity, match up, superimpose, \
pairwise, needle, needleman, smith waterman, line up, lines up, homologous, matching positions, next to each other, \
head to head > aligns identity score compare genes
sister, parent, ancestral strain, close cousin, outgroup, both genomes, its counterpart, counterpart, in the other, \
equivalent in > comparison genome genes compare
kin, kinship, hits against, hit against, held against, closest known, known proteins, of unknown function, orphan > \
similarity search protein resemble
percent identity, half the residues, weak ones, good hits, keep only, only those with, thin out, stricter, cutoff, \
threshold > filter hits identity limit keeps
compile, prepare a database, index for blast, format for > build makes database
wants its place, located, lies, lie, where does, where is, whereabouts, find the gene, which gene, gene called > gene \
place strand finds name
names with, list of genes, all genes, every gene, gene list, set of genes, in order, whole set, one after another, \
first fifty, next fifty > lists genes order strand product
scribble, scribbled, doodles, paintwork, all the marks, all marks, clean display, clean screen, tidy up, unmark, \
bars, bar, pen, mess > coloured marks clear highlights
edge to edge, one edge, from one edge, stretches from, whole width, entire width, full screen, framed, frame it, \
close up, tight > zoom gene fills margin
cursor, put the cursor, centred, straight to, fly to, position the view, look at base, land at > centres view base
towards, onward, to the next screen, upstream on the screen, terminus, move along, a bit more > moves view sideways \
direction
too close, more context, overview, step back, context > zoom widens more
closer look, individual letters, down to the letters, too far out > zoom narrows fewer
layout, arrangement, this picture, present picture, set the scene, manuscript, scene > stores view range name save
again please, once more, as before, as saved, call up > restore stored view shows
vanish, disappear, not visible, out of the way, make room, declutter, unload > hides track visible
thicker, thinner, bold, dark, bright, px, pixel, painted, hue, style of, row height > track settings height colour
foreground, on top, bring up, raise > tab front brings switch
too many sheets, sheets, sheet > tab tabs
vote, pileup at, individual reads, mixed base, double peak, mixed, heterozygous, ambiguous position, a or g > base \
counts reads position
enough data, enough reads, thin spots, holes, well covered, poorly covered, shallow > coverage depth reads least
premature, early stop, truncated, truncates, stop gained, nonsense, loss of function, synonymous change, q below, \
phred, qual > filter variants effect quality
suppose, imagine, hypothetically, if it were, were a, notice, tolerate, tolerated, hurt, affect the protein, would be \
the effect > predict variant effect change
kinds of differences, differences of each, how many of each, by type, by kind, evolved strain > counts variants kind \
summarize
hits in, calls in, falls within, that hit, what hits, in this gene, polymorphisms in > variants gene lists range
clone, evolved, strain carries, carries, in our strain, our strain has, genome so that, edit into, incorporate, \
sanger says, sequenced strain has > variant allele replacement replace queue
waiting room, follow tomorrow, later steps, not now, parked, hold it, provisional, draft, tentative, on hold > queue \
queues pending
both count, count for real, make them count, take effect, effective, so that later, properly, not only on paper, \
final, finalise, burn in, carried through, go through with, fire, execute, hit the button, clean version, longer \
genome, new genome, edited genome, resulting > execute applies pending edit genome
off the table, start with a clean, scrap them all, none of them, forget them all, cancel all, cancel everything, \
abort > queue pending every clear
this morning, as before, before i, undo, go back, restore to, oops, was wrong, messed > undo last executed back
cancel, withdraw, call off, not that one > remove pending edit queue
from clipboard, copied bases, copy of, second copy, another copy, repeat of > copy paste clipboard
landing pad, safe harbour, neutral site, hurt nobody, without any gene, empty of genes, desert, no gene, outside \
genes > intergenic stretches gene
landed, insertion at, insertion, transposon, hit, broke, interrupted, disrupts, disrupted, interrupts > features \
cover base position
distances, how far away, within reach, around position, either side > distance nearby nearest features
boxes, dnaa, sigma, pribnow, tata, ori, chi site, one letter may, letters may be off, may differ, off by > pattern \
place occurs mismatches
text, texts, speak of, in the file, wording, says so, worded, word in, phrase > phrase product note features
thesis, paper, literature, cited, old paper, b0001, calls it, known in > gene name synonym record
cited protein, genbank protein, protein id > protein accession record
overlooked, missed genes, independent, independently, trained model, retrain, re annotate, reannotate > predict genes \
annotation consulted
golden gate, gibson, internal sites, free of, safe enzymes, insert intact, cloning strategy > enzymes cut nowhere \
noncutting
coordinates for, map for, restriction map, cut positions, single cutter, cuts once, number of cuts > restriction \
sites places enzyme cuts
tube, expected bands, one band, several bands, how many bands, smear, pattern on a gel, how do they run > gel \
fragments bands
yield, product of, amplified, what comes out, band or several > pcr products pair primers
pull out by pcr, get by pcr, pairs, flanking primers, suggest, order oligos, primer pair > design primers pairs
half of it is single stranded, single stranded, pair with its own, self complementary, sticks to itself, gc clamp > \
primer melting hairpin dimer checks
bound in there, bound, sharp, cofactor, subunits, crystallised, solved by > structure ligands resolution chain
curated, curators, yeast, human, mouse, job of, role of, known function > uniprot entry function organism
lipoprotein, lipoproteins, terminus, n terminal, peptide motif, phosphorylation site, cleavage site > motif pattern \
residues proteins
page, pages, foreground, open pages > tab
reminder, remember to, don't let me forget, on my list, for today, buy, order, autoclave, appointment, remind, note \
to self > task checklist adds item
tick, gets its tick, ticked, crossed off, cross off, underway, percent done > task item progress state changes
what do i have to do, what do i still, still have to, have to do, not done yet, open items > checklist items lists
done with, move on to, continue with, work on > opens genome file place
sequencing company, synthesis company, text file, header, hand in > fasta file bases range
ucsc, interval, intervals, six columns, browser format > bed file features
nine column, nine columns, gene transfer > gff file features
archive, archived, deposit, submit, submission, flat file, snapgene, benchling, annotated file > genbank file features
phylogeny, tree, alignment input, polypeptides > protein fasta genes amino
peaks, list of features, extra annotation, belongs among, add to the map > annotation file adds features
genus, replicons, how many cds, number of genes, identity card, who's who, what am i looking at > genome organism \
sequences features summary
end up, land, destination, subfolder, save into > folder working output directory
short reads, aligned, mapped reads > reads bam attaches
differences, called variants, snp calls, snp file > variants vcf loads
wiggle, genome wide values, values along > signal tracks
dictionary of enzymes, which enzymes exist > restriction enzymes catalogue
what bug, bug, base pairs, how many genes, how many base, how long is the genome, one glance, key facts, basic facts, \
in a nutshell > genome organism summary length features number
pipeline, worklist, work list, backlog, to come, pending changes, planned changes, what is queued, queued so far > \
edits queue pending lists
press go, press the button, right away, straight away, immediately, at once, new version, modified, updated genome, \
as modified, result of that, finished genome, for keeps, happen, make happen > execute applies pending edit genome
active, grab, choose the range, act on it, pick the gene, as my selection > select selection range gene
spread over, distributed, distribution, split by, by category, broken down, proportions of > counts summarize kind
number of each feature, its number, numbers of the features, handle, identifier, identifiers, ids, so i can edit, to \
rename > ids id features lists
mind, minds, protein mind, does it matter, does that matter, dangerous, deleterious, benign > effect predict variant
unpredictable, random, randomness, in threes, in twos, diversity of letters > entropy words letters
share a messenger, same transcript, one transcript, bicistronic, book of operons, neighbours on one strand > operons \
operon genes
active, module, modules, repeat domain > domain domains
how is it read, read by a polymerase, moving the other way, other way round, in reverse > reverse strand complement
just once, several times, how frequent, number of occurrences, wrong letters > pattern occurs place mismatches
point, mid point, midpoint, magnification, same magnification > centres view zoom
wells, well, lanes of a gel, percent agarose > gel fragments agarose
bits, shards, cleave, cleaves, cleavage, against the first > digest cuts fragments enzymes
stock list, stock, inventory, freezer stock > primer keeps list
anything of the kind, something of the kind, no name yet, unknown protein, what could it be > similarity search \
database protein
stable, usual index > instability properties
screen next week, precisely this screen, this very screen, freeze > stores view name
revisit, given a name, named ranges, my places > bookmark bookmarks ranges names
stripes, strips, stripe, strip > coloured marks highlight
parked, last thing, shortly, needed shortly > clipboard copies paste
somewhere without disturbing, without disturbing, without touching > copy clipboard
modern name, naming, maiden name > gene name synonym
wrong description, typed a wrong, typo, misspelled, spelling > update product note name feature
worth knowing, recorded there, whole entry, let me see all > feature qualifiers returns id
shift a frame, shifts the frame, shift the frame, out of frame, throws out of, stop codon gained, cut it short, cuts \
short > frameshift nonsense variants effect
how many sequences, number of sequences, how many records, how many molecules > sequences lists accession
rename, relabel, give the name, gets the name, another name > name changes feature update
letters before, bases before, just before, precede, precedes, preceding, ahead of the gene, letters ahead, before the \
gene > upstream before start codon gene
file the view, view as, figure, fig, the view under > stores view name
relatives of, family of, similar proteins, similar ones, who resembles > search similarity protein database resemble
now longer, longer, shorter, new length, length now, final length > genome summary length
look over, inspect, review, have a look at the queue, over the queue, before you let it > queue edits lists state
let it run, let them run, let them through, once it ran, run them, once done > execute applies pending edit
scale it, to the left, to the right, left by, right by > moves view sideways direction
"""
"""Further turns of speech, from requests written for development."""

__all__ = ["ACTS", "BIOLOGY", "PROGRAM", "TURNS"]
